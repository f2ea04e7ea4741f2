import type { SecurityScheme } from '../../protocol/model.js';
import type { CredentialKind } from './credential.js';

/** What kind of credential a scheme takes; undefined for a scheme of a kind that this version does not know. */
export function kindFor(scheme: SecurityScheme): CredentialKind | undefined {
  if (scheme.apiKeySecurityScheme) return 'apiKey';
  if (scheme.mtlsSecurityScheme) return 'connection';
  if (scheme.httpAuthSecurityScheme)
    return isBasic(scheme.httpAuthSecurityScheme.scheme) ? 'basic' : 'bearer';
  return scheme.oauth2SecurityScheme || scheme.openIdConnectSecurityScheme ? 'bearer' : undefined;
}

/** Names of HTTP's authentication schemes have no case. */
export function isBasic(scheme: string): boolean {
  return scheme.toLowerCase() === 'basic';
}
