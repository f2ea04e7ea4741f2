import type { ClientTlsOptions } from '../http/http-pool.js';
import { AuthInterceptor } from './auth-interceptor.js';
import { CredentialService } from './credential-service.js';
import { InMemoryCredentialService, type Credentials } from './memory-credential-service.js';

/** How a client proves who it is. A client certificate is among its `tls` options. */
export interface ClientAuthOptions {
  /** Credentials by the names of the card's schemes, or a service that knows them. They are sent as the card says, and only where they belong. */
  readonly credentials?: Credentials | CredentialService;
}

interface OtherOptions {
  readonly tls?: ClientTlsOptions;
  readonly trustedOrigins?: readonly string[];
}

/**
 * @param agentUrl that the client was made with.
 * @returns undefined without credentials.
 * @throws TypeError for credentials that are none.
 */
export function authInterceptor(
  { credentials, tls, trustedOrigins }: ClientAuthOptions & OtherOptions,
  agentUrl: string | URL | undefined,
): AuthInterceptor | undefined {
  if (!credentials) return undefined;
  return new AuthInterceptor({
    credentials:
      credentials instanceof CredentialService ? credentials : new InMemoryCredentialService(credentials),
    hasCertificate: tls?.cert !== undefined || tls?.pfx !== undefined,
    ...(trustedOrigins && { trustedOrigins }),
    ...(agentUrl !== undefined && { agentUrl: agentUrl.toString() }),
  });
}
