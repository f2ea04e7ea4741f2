import type { JsonObject, JsonValue, Part } from './model.js';

/** What any part may carry besides its content. */
export interface PartOptions {
  /** Media type (RFC 6838), as in `text/markdown`. */
  mediaType?: string;
  /** File name, as in `report.pdf`. */
  filename?: string;
  metadata?: JsonObject;
}

/** A part of text. @example textPart('# Done', { mediaType: 'text/markdown' }) */
export function textPart(text: string, options?: PartOptions): Part {
  return { text, ...options };
}

/** A part of structured data: any JSON value, `null` included. @example dataPart({ total: 3 }) */
export function dataPart(data: JsonValue, options?: PartOptions): Part {
  return { data, ...options };
}

/**
 * A part that holds a file.
 * @param content its bytes, or its bytes in base64.
 * @example filePart(await readFile('a.png'), { filename: 'a.png', mediaType: 'image/png' })
 */
export function filePart(content: Uint8Array | string, options?: PartOptions): Part {
  const raw = typeof content === 'string' ? content : toBase64(content);
  return { raw, ...options };
}

/** A part that says where a file can be fetched. @example urlPart('https://example.org/a.png') */
export function urlPart(url: string, options?: PartOptions): Part {
  return { url, ...options };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
