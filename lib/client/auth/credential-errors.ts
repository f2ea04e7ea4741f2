import { A2AClientError } from '../client-errors.js';

/** The card requires credentials, and no alternative is complete. Nothing was sent. */
export class MissingCredentialsError extends A2AClientError {
  constructor(
    /** What is missing of each alternative, as in `bearer: there is no credential of this name`. */
    readonly missing: readonly string[],
  ) {
    super(
      `The agent requires credentials that are not there (${missing.join('; or ')}): see the client's credentials`,
    );
  }
}

/** There is a credential, but it cannot be put where the card says. Nothing was sent. */
export class UnusableCredentialError extends A2AClientError {
  constructor(
    /** Name of the scheme on the card. */
    readonly scheme: string,
    why: string,
  ) {
    super(`The credential for ${JSON.stringify(scheme)} cannot be used: ${why}`);
  }
}
