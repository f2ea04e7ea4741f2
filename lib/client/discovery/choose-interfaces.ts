import type { AgentInterface } from '../../protocol/model.js';
import { PROTOCOL_VERSION } from '../../protocol/version.js';
import { AgentDiscoveryError } from '../client-errors.js';
import type { ClientBinding } from '../client-options.js';
import type { FoundCard } from './card-source.js';

/** What decides which interface of a card is used. */
export interface InterfaceChoice {
  /** Those that are spoken, in the order in which they are liked. */
  readonly bindings: readonly ClientBinding[];
  readonly useClientPreference: boolean;
  readonly allowRelativeUrls: boolean;
}

/**
 * The interfaces of a card that both sides speak, the best first: in the card's order, or by the client's preference of bindings.
 * @throws AgentDiscoveryError when there is none.
 */
export function chooseInterfaces(found: FoundCard, choice: InterfaceChoice): AgentInterface[] {
  const { bindings, useClientPreference } = choice;
  const rank = ({ protocolBinding }: AgentInterface) => bindings.indexOf(protocolBinding as ClientBinding);
  const offered: readonly AgentInterface[] = found.card.supportedInterfaces ?? [];
  const spoken = offered
    .filter((one) => rank(one) >= 0 && speaksOurVersion(one))
    .flatMap((one) => absolute(one, found.url, choice.allowRelativeUrls));
  if (spoken.length === 0) throw new AgentDiscoveryError(whyNone(found, choice));
  return useClientPreference ? spoken.toSorted((a, b) => rank(a) - rank(b)) : spoken;
}

/** Patch numbers do not matter (spec §3.6). */
function speaksOurVersion({ protocolVersion }: AgentInterface): boolean {
  return /^\d+\.\d+/.exec(protocolVersion)?.[0] === PROTOCOL_VERSION;
}

/** The interface with a URL that can be called; none when there is no way to get one. */
function absolute(one: AgentInterface, base: URL | undefined, allowRelative: boolean): AgentInterface[] {
  const resolved =
    allowRelative && base && URL.canParse(one.url, base.href) ? new URL(one.url, base).href : one.url;
  return URL.canParse(resolved) && /^https?:$/.test(new URL(resolved).protocol)
    ? [{ ...one, url: resolved }]
    : [];
}

function whyNone({ card }: FoundCard, { bindings }: InterfaceChoice): string {
  const offered: readonly AgentInterface[] = card.supportedInterfaces ?? [];
  const list = offered.map((one) => `${one.protocolBinding} ${one.protocolVersion} at ${one.url}`).join(', ');
  const old = 'protocolVersion' in card && offered.length === 0 ? ', as a card of A2A 0.3' : '';
  const name = JSON.stringify(card.name);
  return (
    `The agent ${name} has no interface that this client speaks (${bindings.join(', ')} in version ${PROTOCOL_VERSION}, ` +
    `with an absolute URL of http or https unless allowRelativeUrls is set). It offers ${list || `none${old}`}`
  );
}
