import type { CredentialSource, GuardedScheme, SchemeOutcome } from '../../interfaces/security.js';
import type { JwtOptions } from '../tokens/jwt-options.js';
import { JwtVerifier } from '../tokens/jwt-verifier.js';
import { authorizationOf } from './credential-source.js';
import { validated, type ValidatedUser } from './validated.js';

/** Tokens that only the application understands. */
export interface ValidateOptions {
  /** Tells whose token it is. It is asked at every call. */
  readonly validate: (token: string, source: CredentialSource) => ValidatedUser | Promise<ValidatedUser>;
}

export type HttpBearerOptions = (JwtOptions | ValidateOptions) & {
  readonly description?: string;
  /** For documentation. Default `JWT` where tokens are. */
  readonly bearerFormat?: string;
};

/**
 * A scheme with bearer tokens (RFC 6750): JWTs by a key set, a secret or a public key, or any tokens by a callback.
 *
 * @throws TypeError or RangeError when the options cannot be safe.
 * @publicApi
 */
export function httpBearer(options: HttpBearerOptions): GuardedScheme {
  const { description } = options;
  const bearerFormat = options.bearerFormat ?? ('validate' in options ? undefined : 'JWT');
  return {
    scheme: {
      httpAuthSecurityScheme: {
        scheme: 'Bearer',
        ...(description !== undefined && { description }),
        ...(bearerFormat !== undefined && { bearerFormat }),
      },
    },
    guard: { authenticate: bearer(checkOf(options)) },
  };
}

const ABSENT = Promise.resolve<SchemeOutcome>({ kind: 'absent' });

type Check = (token: string, source: CredentialSource) => Promise<SchemeOutcome>;

function checkOf(options: HttpBearerOptions): Check {
  if ('validate' in options) return (token, source) => validated(() => options.validate(token, source));
  const verifier = new JwtVerifier(options);
  return (token) => verifier.verify(token);
}

/** Takes the token from the Authorization header, the one place where it may be. */
export function bearer(check: Check): (source: CredentialSource) => Promise<SchemeOutcome> {
  return (source) => {
    const token = authorizationOf(source, 'Bearer');
    return token === undefined ? ABSENT : check(token, source);
  };
}
