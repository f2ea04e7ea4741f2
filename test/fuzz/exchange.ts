import { type Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import type { FuzzRequest } from './fuzz-request.js';

/** What came back. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** What was read until the end, or until the client left. */
  readonly text: string;
}

/** A server that does not answer by then hangs, in ms. */
const PATIENCE = 10_000;
/** How long a stream is listened to after its head, in ms; those of parked tasks do not end by themselves. */
const STREAM_MS = 15;

/**
 * Sends a request just as it is said, which fetch would not. Resolves to undefined when the client left on purpose before
 * the answer; rejects when the server hangs, or breaks the connection.
 */
export function exchange(
  agent: Agent,
  port: number,
  base: string,
  request: FuzzRequest,
): Promise<RawAnswer | undefined> {
  const { method, body, chunked, leaves } = request;
  const bytes = body === undefined ? undefined : Buffer.from(body, 'latin1');
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { ...request.headers };
    if (bytes)
      headers[chunked ? 'transfer-encoding' : 'content-length'] = chunked ? 'chunked' : String(bytes.length);
    const call = httpRequest({ agent, host: '127.0.0.1', port, method, path: base + request.path, headers });
    const timer = setTimeout(() => call.destroy(new Error(`no answer within ${PATIENCE} ms`)), PATIENCE);
    call.on('close', () => clearTimeout(timer));
    call.on('error', (error) => (leaves === 'in the body' ? resolve(undefined) : reject(error)));
    call.on('response', (response) => {
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
      read(response, leaves === 'at the head' ? 0 : isStream ? STREAM_MS : undefined).then(resolve, reject);
    });
    if (leaves !== 'in the body' || !bytes) return void call.end(bytes);
    call.write(bytes.subarray(0, bytes.length / 2));
    setImmediate(() => call.destroy());
    resolve(undefined);
  });
}

/** Reads to the end; with `leaveAfter` not longer than so many ms. */
function read(response: IncomingMessage, leaveAfter?: number): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const finish = () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode!, headers: response.headers, text });
    };
    response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', finish);
    const timer = leaveAfter === undefined ? undefined : setTimeout(() => response.destroy(), leaveAfter);
    response.on('error', (error) => (timer ? finish() : reject(error)));
    response.on('close', () => {
      clearTimeout(timer);
      if (timer) finish();
    });
  });
}
