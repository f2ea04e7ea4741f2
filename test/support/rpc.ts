import { type Answer, type HeaderChanges, headersOf, readAnswer } from './http.js';

/** What the JSON-RPC binding answers; tests read into it without casts. */
export interface RpcBody {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
}

let lastId = 0;

/** Sends a JSON-RPC request and leaves the response unread, as streams need it. */
export function rpcStream(
  base: string,
  method: string,
  params: unknown,
  headers: HeaderChanges = {},
  signal?: AbortSignal,
): Promise<Response> {
  lastId += 1;
  return fetch(`${base}/a2a/jsonrpc`, {
    method: 'POST',
    headers: headersOf({ 'content-type': 'application/json' }, headers),
    body: JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }),
    signal,
  });
}

/** Calls a method over JSON-RPC. */
export async function rpc(
  base: string,
  method: string,
  params: unknown,
  headers: HeaderChanges = {},
): Promise<Answer<RpcBody>> {
  return readAnswer(await rpcStream(base, method, params, headers));
}
