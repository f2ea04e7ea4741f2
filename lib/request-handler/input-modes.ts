import type { Part } from '../protocol/model.js';

/** The media type of a part: what it says, else what its kind of content stands for. */
export function mediaTypeOf(part: Part): string {
  if (part.mediaType) return part.mediaType;
  if (part.text !== undefined) return 'text/plain';
  return part.data === undefined ? 'application/octet-stream' : 'application/json';
}
