import type { AgentCard, AgentInterface } from '../../protocol/model.js';
import { PROTOCOL_VERSION } from '../../protocol/version.js';
import type { ClientBinding } from '../client-options.js';

const MAJOR_MINOR = /^\d+\.\d+/;

/** The interfaces of a card that both sides speak, the best first: in the card's order, or by the client's preference of bindings. */
export function chooseInterfaces(
  card: AgentCard,
  bindings: readonly ClientBinding[],
  useClientPreference: boolean,
): AgentInterface[] {
  const rank = ({ protocolBinding }: AgentInterface) => bindings.indexOf(protocolBinding as ClientBinding);
  const spoken = (card.supportedInterfaces ?? []).filter(
    (one) => rank(one) >= 0 && MAJOR_MINOR.exec(one.protocolVersion)?.[0] === PROTOCOL_VERSION,
  );
  return useClientPreference ? spoken.toSorted((a, b) => rank(a) - rank(b)) : spoken;
}
