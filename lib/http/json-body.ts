import type { IncomingHttpHeaders } from 'node:http';
import { ContentTypeNotSupportedError, JsonParseError, PayloadTooLargeError } from '../protocol/errors.js';
import { parseMediaType } from '../protocol/media-type.js';
import type { Body } from './read-body.js';

const ACCEPTED = ['json', 'a2a+json'];
const CHARSETS = ['utf-8', 'utf8'];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes of a body that came whole. Throws the A2AError that says why it did not. */
export function bytesOf(body: Body): Buffer {
  if (body === 'too large') throw new PayloadTooLargeError();
  if (body === 'aborted') throw new JsonParseError('The body ended early');
  return body;
}

/** Reads a JSON body; undefined when there is none. Throws the A2AError that says what is wrong with it. */
export function readJson(given: Body, headers: IncomingHttpHeaders): unknown {
  const body = bytesOf(given);
  if (body.length === 0) return undefined;
  checkEncoding(headers['content-encoding']);
  checkType(headers['content-type']);
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw new JsonParseError();
  }
}

/** A small body may unpack to a huge one, and nobody needs it: bodies are read as they are. */
function checkEncoding(encoding = 'identity'): void {
  if (encoding.trim().toLowerCase() === 'identity') return;
  throw new ContentTypeNotSupportedError('Content-Encoding is not supported; send the body as it is');
}

function checkType(contentType = ''): void {
  if (contentType === 'application/json') return;
  const given = parseMediaType(contentType);
  const charset = given?.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (given?.type === 'application' && ACCEPTED.includes(given.subtype) && CHARSETS.includes(charset)) return;
  throw new ContentTypeNotSupportedError(
    'Send the body as application/json or application/a2a+json, encoded in UTF-8',
  );
}
