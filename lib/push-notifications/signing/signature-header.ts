import { HMAC, JWS } from './signed-text.js';

/** A signature as it stands in the header. */
export type ReadSignature =
  | { readonly kind: typeof HMAC; readonly kid: string; readonly code: string }
  | { readonly kind: typeof JWS; readonly protected: string; readonly signature: string };

/** Nobody signs with more keys, and a stranger's header must not make work. */
const MAX_SIGNATURES = 8;
const MAX_LENGTH = 16 * 1_024;

const CODE = /^hmac-sha256 ([^\s,]+) ([\w-]+)$/;
const DETACHED = /^jws ([\w-]+)\.\.([\w-]+)$/;

/** The signatures of a header, without those of kinds that only a later version knows; undefined when it is none. */
export function readSignatures(header: string): readonly ReadSignature[] | undefined {
  if (header.length > MAX_LENGTH) return undefined;
  const parts = header.split(',').map((part) => part.trim());
  return parts.length > MAX_SIGNATURES ? undefined : parts.flatMap(read);
}

function read(part: string): ReadSignature[] {
  const [, kid = '', code] = CODE.exec(part) ?? [];
  if (code !== undefined) return [{ kind: HMAC, kid, code }];
  const [, header = '', signature] = DETACHED.exec(part) ?? [];
  return signature === undefined ? [] : [{ kind: JWS, protected: header, signature }];
}
