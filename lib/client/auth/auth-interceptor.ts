import { UnauthenticatedError, type A2AError } from '../../protocol/errors.js';
import type { AgentSkill } from '../../protocol/model.js';
import { isSend } from '../../protocol/operations.js';
import type { ClientInterceptor, OutgoingCall } from '../client-interceptor.js';
import { CallCredentials, type CallerFacts, type UsableCredential } from './call-credentials.js';
import { chooseSchemes } from './choose-schemes.js';
import type { CredentialService } from './credential-service.js';
import { placeCredential, type Places } from './place-credential.js';
import { originOf } from './origins.js';
import type { Secret } from './secret.js';

export interface AuthInterceptorOptions {
  readonly credentials: CredentialService;
  /** The URL that the client was made with: credentials that name no origins of their own belong to its origin. */
  readonly agentUrl?: string;
  /** Further origins that these credentials may be sent to. */
  readonly trustedOrigins?: readonly string[];
  /** Whether connections have a client certificate. Default false. */
  readonly hasCertificate?: boolean;
}

/** What was sent, to have it renewed if it is refused. */
type Sent = readonly (UsableCredential & { readonly value: Secret })[];

/**
 * Sends the credentials that the card requires, of the agent and of the skill that `message.metadata.skillId` names: those of the first
 * alternative that there are credentials for, each where its scheme says. Has them renewed when the peer answers 401.
 *
 * @publicApi
 */
export class AuthInterceptor implements ClientInterceptor {
  readonly #facts: CallerFacts;
  readonly #sent = new WeakMap<OutgoingCall, Sent>();

  constructor({ credentials, agentUrl, trustedOrigins, hasCertificate = false }: AuthInterceptorOptions) {
    this.#facts = {
      service: credentials,
      agentOrigin: originOf(agentUrl),
      trustedOrigins: (trustedOrigins ?? []).flatMap((origin) => originOf(origin) ?? []),
      hasCertificate,
    };
  }

  /** Throws MissingCredentialsError, UnusableCredentialError, or what a credential throws: then nothing is sent. */
  async before(call: OutgoingCall): Promise<void> {
    const sent: (UsableCredential & { value: Secret })[] = [];
    const places: Places = { headers: {}, query: {} };
    for (const usable of await this.#choose(call)) {
      if (usable.credential.kind === 'connection') continue;
      const value = await usable.credential.value(usable.query);
      placeCredential(usable.query.schemeName, usable.query.scheme, value, places);
      sent.push({ ...usable, value });
    }
    addTo(call, places);
    this.#sent.set(call, sent);
  }

  /** Throws UnauthenticatedError where others should be there and cannot be had; its `cause` says why. */
  async unauthorized(call: OutgoingCall, error: A2AError): Promise<boolean> {
    const sent = this.#sent.get(call) ?? [];
    const renewals = await Promise.allSettled(
      sent.map(async ({ credential, query, value }) => credential.renew?.(query, value)),
    );
    if (renewals.some((renewal) => renewal.status === 'fulfilled' && renewal.value === true)) return true;
    const failure = renewals.find((renewal) => renewal.status === 'rejected');
    if (!failure) return false;
    call.signal?.throwIfAborted();
    throw new UnauthenticatedError('The agent refused the credentials, and no others could be had', {
      cause: failure.reason,
      ...(error instanceof UnauthenticatedError && { challenges: error.challenges }),
    });
  }

  async #choose(call: OutgoingCall): Promise<UsableCredential[]> {
    const credentials = new CallCredentials(call, this.#facts);
    const chosen = await chooseSchemes(call.card, skillOf(call), async (scheme, scopes) => {
      const found = await credentials.find(scheme, scopes);
      return typeof found === 'string' ? found : undefined;
    });
    const found = await Promise.all([...chosen].map(([scheme, scopes]) => credentials.find(scheme, scopes)));
    return found.filter((credential) => typeof credential !== 'string');
  }
}

/** What the application put there by itself stays. */
function addTo(call: OutgoingCall, { headers, query }: Places): void {
  const { cookie, ...others } = headers;
  if (cookie !== undefined) call.headers['cookie'] = [call.headers['cookie'] ?? [], cookie].flat().join('; ');
  for (const [name, value] of Object.entries(others)) call.headers[name] ??= value;
  for (const [name, value] of Object.entries(query)) call.query[name] ??= value;
}

function skillOf({ operation, request, card }: OutgoingCall): AgentSkill | undefined {
  if (!isSend(operation)) return undefined;
  const { message } = request as OutgoingCall<'SendMessage'>['request'];
  const skillId = message.metadata?.['skillId'];
  return card.skills.find(({ id }) => id === skillId);
}
