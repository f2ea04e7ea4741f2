import type { AgentCard, SecurityScheme } from '../protocol/model.js';

/** What the card says about signing in, as values for `WWW-Authenticate` (RFC 9110 §11.6.1); never empty. */
export function challengesOf(card: AgentCard): string[] {
  const schemes = Object.values(card.securitySchemes ?? {}).map(challengeOf);
  const known = schemes.filter((challenge) => challenge !== undefined);
  return known.length > 0 ? [...new Set(known)] : ['Bearer'];
}

function challengeOf(scheme: SecurityScheme): string | undefined {
  if (scheme.httpAuthSecurityScheme) return capitalize(scheme.httpAuthSecurityScheme.scheme);
  if (scheme.apiKeySecurityScheme) return 'ApiKey';
  if (scheme.oauth2SecurityScheme || scheme.openIdConnectSecurityScheme) return 'Bearer';
  return undefined;
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
