import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { CanActivate, Type } from '@nestjs/common';
import type { SecurityScheme } from '../protocol/model.js';
import type { A2AUser } from './server-call-context.js';

/** Where a request carries credentials, the same on every platform. */
export interface CredentialSource {
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly socket: Socket;
}

/**
 * What became of the credentials of one scheme. A `reason` is a short word for the audit, as in `expired`: never a
 * credential, or a part of one.
 */
export type SchemeOutcome =
  | { readonly kind: 'accepted'; readonly user: A2AUser | null }
  /** The request has no credentials of this scheme. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody can tell: what the credentials are checked against cannot be reached. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Checks the credentials of one scheme. */
export interface Authenticator {
  /** Throws only what is a fault of the server. */
  authenticate(source: CredentialSource): Promise<SchemeOutcome> | SchemeOutcome;
}

/** The application guards the scheme by itself, with a global guard or one on the agent's class. */
export const HOST_GUARD = 'host';

/**
 * A scheme of the card, and what guards it: what `httpBearer()` and its like make, or any guard class of the
 * application, which leaves the user in `request.user`.
 *
 * @example
 * { scheme: { httpAuthSecurityScheme: { scheme: 'Bearer' } }, guard: AuthGuard('jwt') }
 */
export interface GuardedScheme {
  readonly scheme: SecurityScheme;
  readonly guard: Authenticator | Type<CanActivate> | CanActivate | typeof HOST_GUARD;
}

/** An entry of `securitySchemes`. A plain one is shown on the card only, and cannot be required. */
export type SchemeDeclaration = GuardedScheme | SecurityScheme;

export function isGuarded(declaration: SchemeDeclaration): declaration is GuardedScheme {
  return 'guard' in declaration;
}

/** The entry of the card. */
export function schemeOf(declaration: SchemeDeclaration): SecurityScheme {
  return isGuarded(declaration) ? declaration.scheme : declaration;
}
