import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { spawnOwn } from '../../chaos/servers/own-process.js';

const MAIN = fileURLToPath(new URL('../../../../../fixtures/dist/scripted-agent/main.js', import.meta.url));

/** A process with the scripted agent. */
export interface Agent {
  readonly base: string;
  readonly process: ChildProcess;
}

export async function startAgent(env: NodeJS.ProcessEnv): Promise<Agent> {
  const child = spawnOwn(process.execPath, [MAIN], {
    env: { ...process.env, PORT: '0', CAPABILITIES: 'streaming,push', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const chunk of child.stdout!) {
    const port = /^ready (\d+)$/m.exec(String(chunk))?.[1];
    if (port) return { base: `http://127.0.0.1:${port}`, process: child };
  }
  throw new Error('The agent did not start');
}

export async function endAgent({ process: child }: Agent, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

let lastId = 0;

/** Calls a method over JSON-RPC, and answers its result. */
export async function call(base: string, method: string, params: object): Promise<any> {
  const response = await fetch(`${base}/a2a/jsonrpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: (lastId += 1), method, params }),
  });
  const { result, error } = (await response.json()) as { result?: any; error?: unknown };
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
