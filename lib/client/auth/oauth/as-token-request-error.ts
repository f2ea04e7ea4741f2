import { UnsafeUrlError } from '../../../interfaces/url-guard.js';
import { A2AClientError } from '../../client-errors.js';
import type { OAuthLibrary } from './load-oauth.js';
import { TokenRequestError } from './token-request-error.js';

/** Codes are words; whatever else a server writes there is not shown. */
const CODE = /^[a-z_]{1,64}$/;

/**
 * An error that says no secret: what the library throws holds the whole answer of the server.
 *
 * @param origin of the authorization server.
 */
export function asTokenRequestError(oauth: OAuthLibrary, error: unknown, origin: string): Error {
  if (error instanceof TokenRequestError) return error;
  if (error instanceof oauth.ResponseBodyError) {
    const code = CODE.test(error.error) ? error.error : undefined;
    const { status } = error;
    return new TokenRequestError(`${origin} refused to issue tokens: ${code ?? status}`, { code, status });
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    const { message, cause } = error;
    const status = cause instanceof Response ? cause.status : undefined;
    return new TokenRequestError(`${origin} did not answer as an authorization server: ${message}`, {
      status,
    });
  }
  if (error instanceof A2AClientError || error instanceof UnsafeUrlError) {
    return new TokenRequestError(`${origin} could not be asked for tokens: ${error.message}`, {
      cause: error,
    });
  }
  return new TokenRequestError(`${origin} could not be asked for tokens`);
}
