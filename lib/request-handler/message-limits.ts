import type { LimitOptions } from '../interfaces/limit-options.js';
import type { FieldViolation } from '../protocol/error-details.js';
import { InvalidParamsError } from '../protocol/errors.js';
import type { JsonObject, SendMessageRequest } from '../protocol/model.js';

type MetadataLimits = Required<Pick<LimitOptions, 'metadataBytes' | 'metadataMembers'>>;
type MessageLimits = MetadataLimits & Required<Pick<LimitOptions, 'parts' | 'referenceTasks'>>;

/** Throws InvalidParamsError for a message with more in it than is taken. */
export function checkMessageLimits({ message, metadata }: SendMessageRequest, limits: MessageLimits): void {
  const { parts, referenceTaskIds = [] } = message;
  const violations = [
    tooMany(parts.length, limits.parts, 'message.parts', 'parts'),
    tooMany(referenceTaskIds.length, limits.referenceTasks, 'message.referenceTaskIds', 'ids'),
    tooMuch(metadata, 'metadata', limits),
    tooMuch(message.metadata, 'message.metadata', limits),
  ].filter((violation) => violation !== undefined);
  // Of too many parts the first is as good an example as the last.
  if (violations.length === 0) {
    parts.forEach((part, index) => {
      const violation = part.metadata && tooMuch(part.metadata, `message.parts[${index}].metadata`, limits);
      if (violation) violations.push(violation);
    });
  }
  if (violations.length > 0) throw new InvalidParamsError(violations);
}

/** Throws InvalidParamsError for metadata that is larger than is taken. */
export function checkMetadataLimits(metadata: JsonObject | undefined, limits: MetadataLimits): void {
  const violation = tooMuch(metadata, 'metadata', limits);
  if (violation) throw new InvalidParamsError([violation]);
}

function tooMuch(
  metadata: JsonObject | undefined,
  field: string,
  { metadataBytes, metadataMembers }: MetadataLimits,
): FieldViolation | undefined {
  if (!metadata) return undefined;
  const members = tooMany(Object.keys(metadata).length, metadataMembers, field, 'members');
  if (members || metadataBytes === 0) return members;
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return tooMany(bytes, metadataBytes, field, 'bytes of JSON');
}

function tooMany(count: number, most: number, field: string, what: string): FieldViolation | undefined {
  if (most === 0 || count <= most) return undefined;
  return { field, description: `has ${count} ${what}; at most ${most} are taken` };
}
