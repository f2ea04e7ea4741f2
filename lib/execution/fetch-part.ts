import type { FetchPartOptions, PartContent } from '../interfaces/request-context.js';
import { UrlFetchError, type UrlGuard } from '../interfaces/url-guard.js';
import type { Part } from '../protocol/model.js';

/** The content of a part; see RequestContext.fetchPart(). */
export async function fetchPart(
  part: Part,
  urls: UrlGuard,
  signal: AbortSignal,
  options: FetchPartOptions = {},
): Promise<PartContent> {
  const { mediaType } = part;
  if (part.text !== undefined) return { bytes: Buffer.from(part.text), mediaType: mediaType ?? 'text/plain' };
  if (part.raw !== undefined) return { bytes: Buffer.from(part.raw, 'base64'), mediaType };
  if (part.url === undefined) {
    return { bytes: Buffer.from(JSON.stringify(part.data)), mediaType: mediaType ?? 'application/json' };
  }
  const { status, headers, body } = await urls.fetch(part.url, { ...options, signal });
  if (status !== 200) throw new UrlFetchError(`The part at ${new URL(part.url).host} answered ${status}`);
  return { bytes: body, mediaType: mediaType ?? headers['content-type'] };
}
