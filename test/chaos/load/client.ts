import http from 'node:http';
import type { Task } from 'nest-a2a';
import type { Replica } from '../servers/replica.js';

/**
 * How a call ended: `done`; `refused`, so that nothing was done; or `unsure`: the connection broke, or the server met an error
 * that says nothing about what was done before.
 */
export type Outcome<T = any> =
  | { readonly kind: 'done'; readonly result: T }
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string; readonly message: string }
  | { readonly kind: 'unsure'; readonly why: string };

export type AgentName = 'steady' | 'brittle';

const CALL_TIMEOUT_MS = 45_000;

/** Calls a JSON-RPC method of an agent on one web. */
export function call<T = any>(
  web: Replica,
  agent: AgentName,
  method: string,
  params: unknown,
): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const request = post(web, agent, method, params, {}, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (error) => resolve(unsure(error)));
      response.on('close', () => resolve(unsure(new Error('cut short'))));
      response.on('end', () => {
        if (response.complete) resolve(toOutcome<T>(Buffer.concat(chunks).toString()));
      });
    });
    request.setTimeout(CALL_TIMEOUT_MS, () => request.destroy(new Error('timeout')));
    request.on('error', (error) => resolve(unsure(error)));
  });
}

/** Sends a JSON-RPC request over a connection of its own. */
export function post(
  web: Replica,
  agent: AgentName,
  method: string,
  params: unknown,
  { headers, signal }: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
  answer: (response: http.IncomingMessage) => void,
): http.ClientRequest {
  const request = http.request(`${web.base}/${agent}/jsonrpc`, {
    method: 'POST',
    agent: false,
    signal,
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
  });
  request.on('response', answer);
  request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return request;
}

/** What a JSON-RPC body says. */
export function toOutcome<T>(body: string): Outcome<T> {
  try {
    const { result, error } = JSON.parse(body) as { result?: T; error?: RpcError };
    if (!error) return { kind: 'done', result: result! };
    if (error.code === -32603) return { kind: 'unsure', why: error.message };
    const reason = error.data?.find((detail) => detail.reason)?.reason ?? '';
    // Without word of when to try again, the server broke off what it may have accepted.
    const again = error.data?.some((detail) => detail.retryDelay) ?? false;
    if (reason === 'UNAVAILABLE' && !again) return { kind: 'unsure', why: error.message };
    return { kind: 'refused', code: error.code, reason, message: error.message };
  } catch (error) {
    return unsure(error);
  }
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: readonly { readonly reason?: string; readonly retryDelay?: string }[];
}

/** The connection broke. */
export function unsure(error: unknown): Outcome<never> {
  const { code, message } = error as Error & { code?: string };
  return { kind: 'unsure', why: code ?? message };
}

/** All tasks of an agent, or those of one context. */
export async function listTasks(
  web: Replica,
  agent: AgentName,
  filter: { readonly contextId?: string } = {},
): Promise<readonly Task[] | undefined> {
  const tasks: Task[] = [];
  let pageToken = '';
  do {
    const params = { ...filter, pageSize: 100, historyLength: 0, ...(pageToken && { pageToken }) };
    const page = await call(web, agent, 'ListTasks', params);
    if (page.kind !== 'done') return undefined;
    tasks.push(...page.result.tasks);
    pageToken = page.result.nextPageToken ?? '';
  } while (pageToken !== '');
  return tasks;
}
