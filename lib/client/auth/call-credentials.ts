import type { SecurityScheme } from '../../protocol/model.js';
import type { OutgoingCall } from '../client-interceptor.js';
import type { Credential, CredentialQuery } from './credential.js';
import type { CredentialService } from './credential-service.js';
import { kindFor } from './credential-kinds.js';
import { isConfidential, originOf } from './origins.js';

/** A credential that may be sent with a call, and what it is asked with. */
export interface UsableCredential {
  readonly query: CredentialQuery;
  readonly credential: Credential;
}

/** What is true of all calls of a client. */
export interface CallerFacts {
  readonly service: CredentialService;
  /** Origin of the URL that the client was made with. */
  readonly agentOrigin: string | undefined;
  readonly trustedOrigins: readonly string[];
  /** Whether connections have a client certificate. */
  readonly hasCertificate: boolean;
}

/** Looks for the credentials of one call. Says why where there is none that may be sent. */
export class CallCredentials {
  readonly #found = new Map<string, Promise<UsableCredential | string>>();

  constructor(
    private readonly call: OutgoingCall,
    private readonly facts: CallerFacts,
  ) {}

  /** The same answer for the same question. */
  find(schemeName: string, scopes: readonly string[]): Promise<UsableCredential | string> {
    const key = JSON.stringify([schemeName, ...scopes]);
    const found = this.#found.get(key) ?? this.#find(schemeName, scopes);
    this.#found.set(key, found);
    return found;
  }

  async #find(schemeName: string, scopes: readonly string[]): Promise<UsableCredential | string> {
    const { securitySchemes = {} } = this.call.card;
    const scheme = Object.hasOwn(securitySchemes, schemeName) ? securitySchemes[schemeName] : undefined;
    const kind = scheme && kindFor(scheme);
    if (!scheme || !kind) return 'the card does not say what it is';
    const origin = originOf(this.call.agentInterface.url);
    if (origin === undefined) return 'the interface has no origin of HTTP';
    const query = this.#query(schemeName, scheme, scopes, origin);
    if (kind === 'connection' && this.facts.hasCertificate) return { query, credential: OF_CONNECTION };
    const credential = await this.facts.service.credentialsFor(query);
    if (!credential)
      return kind === 'connection' ? 'tls has no certificate' : 'there is no credential of this name';
    if (credential.kind !== kind) return `it needs a credential of the kind ${kind}, not ${credential.kind}`;
    return this.#refusalOf(credential, query) ?? { query, credential };
  }

  #query(
    schemeName: string,
    scheme: SecurityScheme,
    scopes: readonly string[],
    origin: string,
  ): CredentialQuery {
    const { card, operation, agentInterface, signal } = this.call;
    const { tenant } = agentInterface;
    return {
      schemeName,
      scheme,
      scopes,
      origin,
      agentOrigin: this.facts.agentOrigin,
      operation,
      card,
      ...(tenant !== undefined && { tenant }),
      ...(signal && { signal }),
    };
  }

  /** Credentials go where they belong, and nowhere in the clear. */
  #refusalOf({ origins }: Credential, { origin }: CredentialQuery): string | undefined {
    const { agentOrigin, trustedOrigins } = this.facts;
    const allowed = origins ?? [agentOrigin ?? [], trustedOrigins].flat();
    if (allowed.length === 0)
      return `name its origins, as the client was made without a URL: origins: ["${origin}"]`;
    if (!allowed.includes(origin))
      return `it belongs to ${allowed.join(', ')}, and not to ${origin}, which the card names`;
    return isConfidential(origin) ? undefined : `it is not sent to ${origin} without encryption`;
  }
}

const OF_CONNECTION: Credential = {
  kind: 'connection',
  value: () => {
    throw new Error('Certificates belong to the connection');
  },
};
