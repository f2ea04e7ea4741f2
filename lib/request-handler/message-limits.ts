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
    ...tooMany(parts.length, limits.parts, 'message.parts', 'parts'),
    ...tooMany(referenceTaskIds.length, limits.referenceTasks, 'message.referenceTaskIds', 'ids'),
    ...metadataViolations(metadata, 'metadata', limits),
    ...metadataViolations(message.metadata, 'message.metadata', limits),
  ];
  // Of too many parts the first is as good an example as the last.
  if (violations.length === 0) {
    parts.forEach((part, index) =>
      violations.push(...metadataViolations(part.metadata, `message.parts[${index}].metadata`, limits)),
    );
  }
  if (violations.length > 0) throw new InvalidParamsError(violations);
}

/** Throws InvalidParamsError for metadata that is larger than is taken. */
export function checkMetadataLimits(metadata: JsonObject | undefined, limits: MetadataLimits): void {
  const violations = metadataViolations(metadata, 'metadata', limits);
  if (violations.length > 0) throw new InvalidParamsError(violations);
}

function metadataViolations(
  metadata: JsonObject | undefined,
  field: string,
  { metadataBytes, metadataMembers }: MetadataLimits,
): FieldViolation[] {
  if (!metadata) return [];
  const members = tooMany(Object.keys(metadata).length, metadataMembers, field, 'members');
  if (members.length > 0 || metadataBytes === 0) return members;
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return tooMany(bytes, metadataBytes, field, 'bytes of JSON');
}

function tooMany(count: number, most: number, field: string, what: string): FieldViolation[] {
  if (most === 0 || count <= most) return [];
  return [{ field, description: `has ${count} ${what}; at most ${most} are taken` }];
}
