import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AgentCard as SdkCard, generateAgentCardSignature, verifyAgentCardSignature } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { agentCardHandler } from '@a2a-js/sdk/server/express';
import express from 'express';
import { importJWK, type JWK } from 'jose';
import { AgentExecutor, httpBearer, Skill, verifyAgentCard } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORMS, serveApp, type ServedApp } from '../conformance/support/app.js';
import { JWT } from '../support/secrets/known-secrets.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';

allowPlainSecret('output', JWT, 'the SDK prints the signatures of cards, which are public');

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

@AgentExecutor({
  name: 'Ordner ✓ 😀',
  description: 'Tracks orders',
  version: '1.0.0',
  capabilities: { streaming: true },
  securitySchemes: { bearer: httpBearer({ secret: 'x'.repeat(32) }) },
  securityRequirements: [{ schemes: { bearer: { list: ['read'] } } }],
})
class Orders {
  @Skill({ id: 'track', name: 'Track', description: 'Tracks', tags: ['orders'], examples: ['Where is 7?'] })
  track() {
    return 'On its way';
  }
}

describe.each(PLATFORMS)('cards that are signed here and fetched by the SDK, from %s', (platform) => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveApp(platform, {
      agents: [
        { agent: Orders, wellKnown: true },
        {
          agent: Orders,
          id: 'open',
          path: 'open',
          options: { securitySchemes: {}, securityRequirements: [] },
        },
      ],
      options: {
        publicUrl: 'https://orders.example',
        signing: { keys: [{ kid: 'k', alg: 'ES256', privateKey }] },
      },
    });
  });
  afterAll(() => served?.close());

  /** The key as clients get it: from where it is served. */
  async function fetchKey(kid: string) {
    const { keys } = (await (await fetch(`${served.base}/.well-known/a2a-jwks.json`)).json()) as {
      keys: JWK[];
    };
    return (await importJWK(keys.find((key) => key.kid === kid)!)) as never;
  }

  it('verify there, as they were fetched', async () => {
    const fetched = await fetch(`${served.base}/.well-known/agent-card.json`);
    const card = (await fetched.json()) as SdkCard;
    expect(card.signatures).toHaveLength(1);
    await expect(verifyAgentCardSignature(fetchKey)(card)).resolves.toBeUndefined();
    await expect(verifyAgentCardSignature(fetchKey)({ ...card, name: 'Evil' })).rejects.toThrow();
  });

  it('verify there as its resolver hands them over, which loses security schemes of every card', async () => {
    const open = await new DefaultAgentCardResolver().resolve(`${served.base}/open/`);
    await expect(verifyAgentCardSignature(fetchKey)(open)).resolves.toBeUndefined();
    const guarded = await new DefaultAgentCardResolver().resolve(served.base);
    // Of SDK 1.3.0, whoever signed: should it mend that, the guide has to know.
    await expect(verifyAgentCardSignature(fetchKey)(guarded)).rejects.toThrow();
  });
});

describe('cards that are signed and served by the SDK', () => {
  it('verify here', async () => {
    const card = SdkCard.fromJSON({
      name: 'Ordner ✓ 😀',
      description: 'Tracks orders',
      version: '1.0.0',
      supportedInterfaces: [
        { url: 'https://orders.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: true, pushNotifications: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 's', name: 'S', description: 'D', tags: ['a'] }],
    });
    const sign = generateAgentCardSignature(privateKey, { alg: 'ES256', kid: 'k', typ: 'JOSE' });
    const signed = await sign(card);
    const app = express().use('/card', agentCardHandler({ agentCardProvider: async () => signed }));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const fetched: unknown = await (await fetch(`http://127.0.0.1:${port}/card`)).json();
      const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256' }];
      const options = { keys, acceptSdkForm: true };
      await expect(verifyAgentCard(fetched, options)).resolves.toMatchObject({ verified: true, kid: 'k' });
      const evil = { ...(fetched as object), name: 'Evil' };
      await expect(verifyAgentCard(evil, options)).rejects.toMatchObject({ reason: 'invalid-signature' });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
