import type { A2AClient, ClientBinding } from 'nest-a2a/client';
import { afterAll, beforeAll, describe } from 'vitest';
import { clientOf } from '../../client/clients.js';
import type { Peer } from './peers/peer.js';
import { startSdkAgent } from './peers/sdk-agent.js';

/** What the tests of one peer and one binding are about; its members are there once the tests run. */
export interface PeerWire {
  readonly binding: ClientBinding;
  /** Not the one at A2A_PEER. */
  readonly isInProcess: boolean;
  readonly base: string;
  readonly client: A2AClient;
}

/** Peers by name: the JavaScript SDK's server, and whatever is at A2A_PEER, as `peers/python_agent.py`. */
const PEERS: Record<string, () => Promise<Peer>> = { '@a2a-js/sdk': startSdkAgent };
const { A2A_PEER } = process.env;
if (A2A_PEER)
  PEERS[`the agent at ${A2A_PEER}`] = async () => ({ base: A2A_PEER, close: async () => undefined });

/** Runs the same tests with our client over both bindings against every peer. */
export function onEveryPeer(tests: (wire: PeerWire) => void): void {
  describe.each(Object.keys(PEERS))('our client and %s', (name) => {
    let peer: Peer;
    beforeAll(async () => {
      peer = await PEERS[name]!();
    });
    afterAll(() => peer?.close());

    describe.each<ClientBinding>(['JSONRPC', 'HTTP+JSON'])('over %s', (binding) => {
      let client: A2AClient;
      beforeAll(() => {
        client = clientOf(peer.base, binding);
      });
      afterAll(() => client?.close());

      tests({
        binding,
        isInProcess: name === '@a2a-js/sdk',
        get base() {
          return peer.base;
        },
        get client() {
          return client;
        },
      });
    });
  });
}
