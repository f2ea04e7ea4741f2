// Two web processes and two workers, each started as `ROLE=web PORT=3001 DATABASE_URL=… node main.js` would start it.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.js', import.meta.url));
const DATABASE_URL = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const first = Number(process.env.PORT ?? 3001);

const processes = ['web', 'web', 'worker', 'worker'].map((ROLE, i) =>
  fork(main, { env: { ...process.env, DATABASE_URL, ROLE, PORT: String(first + i) } }),
);
// Wait for them, as they drain. Ctrl+C reaches them from the terminal.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => processes.forEach((child) => child.kill('SIGTERM')));
