import { createServer } from 'node:net';

/** A port that nobody listens on, and that the system will not give to an outgoing connection by itself. */
export async function freePort(from: number): Promise<number> {
  for (let port = from; port < from + 1_000; port++) if (await isFree(port)) return port;
  throw new Error(`No port is free from ${from} on`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
