import type { SecurityScheme } from './model.js';

const REALM = 'realm="a2a"';
/** What cannot stand in the name of a scheme. */
const NO_TOKEN = /[^\w!#$%&'*+.^`|~-]/g;

/** Why credentials did not do, as RFC 6750 §3 has it for bearer tokens. */
export interface ChallengeError {
  readonly error: 'invalid_token' | 'insufficient_scope';
  /** Scopes that are needed. */
  readonly scopes?: readonly string[];
}

/**
 * What a scheme asks for, as a value of `WWW-Authenticate` (RFC 9110 §11.6.1). API keys and client certificates have no
 * registered name there; theirs says what the card says.
 */
export function challengeOf(scheme: SecurityScheme, error?: ChallengeError): string {
  if (scheme.httpAuthSecurityScheme) return httpChallenge(scheme.httpAuthSecurityScheme.scheme, error);
  if (scheme.apiKeySecurityScheme) {
    const { location, name } = scheme.apiKeySecurityScheme;
    return `ApiKey ${REALM}, in=${quote(location)}, name=${quote(name)}`;
  }
  return scheme.mtlsSecurityScheme ? `MutualTLS ${REALM}` : httpChallenge('Bearer', error);
}

/** The challenges of all schemes, each once; `Bearer` where the card names none. */
export function challengesOf(schemes: Readonly<Record<string, SecurityScheme>> = {}): string[] {
  const challenges = Object.values(schemes).map((scheme) => challengeOf(scheme));
  return challenges.length > 0 ? [...new Set(challenges)] : [`Bearer ${REALM}`];
}

function httpChallenge(name: string, error: ChallengeError | undefined): string {
  const known = (name.charAt(0).toUpperCase() + name.slice(1)).replace(NO_TOKEN, '');
  if (known === 'Basic') return `Basic ${REALM}, charset="UTF-8"`;
  if (known !== 'Bearer' || !error) return `${known} ${REALM}`;
  const scope = error.scopes?.length ? `, scope=${quote(error.scopes.join(' '))}` : '';
  return `Bearer ${REALM}, error="${error.error}"${scope}`;
}

/** What cannot stand in a header is left out. */
function quote(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}
