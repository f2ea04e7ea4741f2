import type { AgentCard } from '../../protocol/model.js';
import { AgentDiscoveryError } from '../client-errors.js';
import type { AgentAddress } from '../client-options.js';
import { Exchange, type ExchangeLimits } from '../http/exchange.js';
import type { HttpOptions } from '../transports/http-transport.js';

const WELL_KNOWN = '/.well-known/agent-card.json';

/** Fetches the card of an agent. */
export async function fetchCard(
  address: AgentAddress,
  http: HttpOptions,
  limits: ExchangeLimits,
): Promise<AgentCard> {
  const url = address.cardUrl
    ? new URL(address.cardUrl)
    : new URL(String(address.url).replace(/\/+$/, '') + WELL_KNOWN);
  const headers = { accept: 'application/json' };
  const exchange = await Exchange.open(http.dispatcher, { method: 'GET', url, headers }, limits);
  if (exchange.status !== 200) {
    exchange.close();
    throw new AgentDiscoveryError(`${url.href} answered ${exchange.status}`);
  }
  return JSON.parse((await exchange.read(http.maxAnswerBytes)).toString()) as AgentCard;
}
