import { A2AClient } from './a2a-client.js';
import { checkClientOptions } from './check-client-options.js';
import type { A2AClientOptions, AgentAddress } from './client-options.js';
import { HttpAgentConnection } from './http-agent-connection.js';

/**
 * Makes a client without Nest. Nothing is sent before its first call; `close()` it when it is no longer needed.
 *
 * @publicApi
 * @throws TypeError for an address or options that cannot be.
 * @param agent the agent's URL, its origin or the URL of its card; or an object that says which of these it is, or holds the card.
 * @example
 * const client = createA2AClient('https://billing.example.com');
 * try {
 *   const { task } = await client.sendMessage({ message: userMessage('What do I owe?') });
 * } finally {
 *   await client.close();
 * }
 */
export function createA2AClient(
  agent: string | URL | AgentAddress,
  options: A2AClientOptions = {},
): A2AClient {
  checkClientOptions(options);
  const address = typeof agent === 'string' || agent instanceof URL ? { url: agent } : agent;
  return new A2AClient(new HttpAgentConnection(address, options), options);
}
