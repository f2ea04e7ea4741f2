import { A2AClientError } from '../../client-errors.js';

/** What is known of a request for tokens that failed. Never more: what authorization servers answer may hold secrets. */
export interface TokenRequestFailure extends ErrorOptions {
  /** `error` of RFC 6749 §5.2, as in `invalid_grant`. */
  readonly code?: string | undefined;
  /** Of the HTTP answer; undefined without one. */
  readonly status?: number | undefined;
}

/** No tokens could be had of an authorization server. */
export class TokenRequestError extends A2AClientError {
  /** `error` of RFC 6749 §5.2, as in `invalid_client`; undefined when the server did not say. */
  readonly code: string | undefined;
  /** Of the HTTP answer. */
  readonly status: number | undefined;

  constructor(message: string, { code, status, ...options }: TokenRequestFailure = {}) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}
