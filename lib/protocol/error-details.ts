import type { JsonValue } from './model.js';

/** The domain of every `reason` that A2A defines (spec §11.6). */
export const ERROR_DOMAIN = 'a2a-protocol.org';

const TYPE = 'type.googleapis.com/google.rpc.';

/** Something that is wrong with one field of a request. */
export interface FieldViolation {
  /** Path of the field, as in `message.parts[0].raw`; empty for the request itself. */
  readonly field: string;
  /** What is wrong, to be read after the path. */
  readonly description: string;
}

/** One object of an error's details: its kind, then its data, in ProtoJSON. */
export interface ErrorDetail {
  readonly '@type': string;
  readonly [member: string]: JsonValue | undefined;
}

/** Says which error it is. */
export function errorInfo(reason: string, metadata: Readonly<Record<string, string>> = {}): ErrorDetail {
  const hasMetadata = Object.keys(metadata).length > 0;
  return { '@type': `${TYPE}ErrorInfo`, reason, domain: ERROR_DOMAIN, ...(hasMetadata && { metadata }) };
}

/** Says which fields are wrong. */
export function badRequest(violations: readonly FieldViolation[]): ErrorDetail {
  return { '@type': `${TYPE}BadRequest`, fieldViolations: violations.map((violation) => ({ ...violation })) };
}

/** Says when to try again. */
export function retryInfo(seconds: number): ErrorDetail {
  return { '@type': `${TYPE}RetryInfo`, retryDelay: `${seconds}s` };
}

/** Finds the first detail of a kind, given without its package, as in `BadRequest`. */
export function findDetail(details: readonly ErrorDetail[], kind: string): ErrorDetail | undefined {
  return details.find((detail) => detail['@type'] === TYPE + kind);
}
