import type { TLSSocket } from 'node:tls';
import type { CredentialSource } from '../../interfaces/security.js';
import type { SecurityScheme } from '../../protocol/model.js';
import { readApiKey } from './api-key.js';

/** Whether a request has something that could be credentials of the scheme. */
export function carriesCredentials(scheme: SecurityScheme, source: CredentialSource): boolean {
  if (scheme.apiKeySecurityScheme) return Boolean(readApiKey(source, scheme.apiKeySecurityScheme));
  if (scheme.mtlsSecurityScheme) return Boolean((source.socket as Partial<TLSSocket>).encrypted);
  const name = scheme.httpAuthSecurityScheme?.scheme ?? 'Bearer';
  return (source.headers.authorization ?? '').toLowerCase().startsWith(`${name.toLowerCase()} `);
}
