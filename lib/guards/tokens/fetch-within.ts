const MAX_BYTES = 512 * 1_024;
const TIMEOUT_MS = 5_000;

interface Limits {
  /** Default 524 288. */
  readonly maxBytes?: number;
  /** For the whole answer, in ms. Default 5 000. */
  readonly timeoutMs?: number;
}

/** A fetch that follows no redirects and gives up on answers that are late or large. */
export function fetchWithin({ maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }: Limits = {}) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const response = await fetch(url, { ...init, redirect: 'error', signal });
    return new Response(await readWithin(response, maxBytes), { status: response.status });
  };
}

async function readWithin({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!body) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return size === 0 ? null : new Uint8Array(Buffer.concat(chunks));
}
