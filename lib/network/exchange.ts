import { isHeaderValue, isHttpToken } from '../protocol/header-value.js';
import { request, type Dispatcher } from 'undici';
import {
  UnsafeUrlError,
  UrlFetchError,
  type UrlAnswer,
  type UrlFetchOptions,
} from '../interfaces/url-guard.js';

type Limits = Required<Pick<UrlFetchOptions, 'maxBytes' | 'timeoutMs'>>;

/** One request and its whole answer, within limits of time and size. Follows nothing, unpacks nothing. */
export async function exchange(
  url: URL,
  dispatcher: Dispatcher,
  { method = 'GET', headers = {}, body, maxBytes, timeoutMs, signal }: UrlFetchOptions & Limits,
): Promise<UrlAnswer> {
  for (const [name, value] of Object.entries(headers)) {
    if (!isHttpToken(name) || !isHeaderValue(value))
      throw new TypeError(`The header ${JSON.stringify(name)} is not valid`);
  }
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(url, {
      dispatcher,
      method: method as Dispatcher.HttpMethod,
      headers: { 'accept-encoding': 'identity', ...headers },
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { status: answer.statusCode, headers: plain(answer.headers), body: await read(answer, maxBytes) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UnsafeUrlError || error instanceof UrlFetchError) throw error;
    const text = timeout.aborted ? `took longer than ${timeoutMs} ms` : 'failed';
    throw new UrlFetchError(`The request to ${url.host} ${text}`, { cause: error });
  }
}

async function read({ headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new UrlFetchError(`The answer is larger than ${maxBytes} bytes`);
  // What is left unread is broken off, and must have somebody to tell.
  body.on('error', () => {});
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    body.destroy();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function plain(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
}
