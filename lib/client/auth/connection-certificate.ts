import type { Credential } from './credential.js';
import { Secret } from './secret.js';

/**
 * Says that the connection proves who calls by something outside of this process, such as a proxy with a client certificate. Not needed
 * where the client has a certificate in its `tls` options.
 *
 * @publicApi
 */
export function connectionCertificate(): Credential {
  return { kind: 'connection', value: () => new Secret('') };
}
