import type { CredentialSource, GuardedScheme } from '../../interfaces/security.js';
import { authorizationOf } from './credential-source.js';
import { validated, type ValidatedUser } from './validated.js';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MAX_CREDENTIALS = 4_096;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

export interface HttpBasicOptions {
  readonly description?: string;
  /** Tells whose name and password they are. Compare what is secret with `safeEqual()`, and passwords by a slow hash. */
  readonly validate: (
    username: string,
    password: string,
    source: CredentialSource,
  ) => ValidatedUser | Promise<ValidatedUser>;
}

/**
 * A scheme with user name and password (RFC 7617).
 *
 * @publicApi
 */
export function httpBasic({ description, validate }: HttpBasicOptions): GuardedScheme {
  return {
    scheme: {
      httpAuthSecurityScheme: { scheme: 'Basic', ...(description !== undefined && { description }) },
    },
    guard: {
      authenticate: async (source) => {
        const encoded = authorizationOf(source, 'Basic');
        if (encoded === undefined) return { kind: 'absent' };
        const credentials = decode(encoded);
        if (!credentials) return { kind: 'refused', reason: 'malformed' };
        return validated(() => validate(...credentials, source));
      },
    },
  };
}

function decode(encoded: string): [username: string, password: string] | undefined {
  if (encoded.length > MAX_CREDENTIALS || !BASE64.test(encoded)) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0 || CONTROL.test(text)) return undefined;
  return [text.slice(0, colon), text.slice(colon + 1)];
}
