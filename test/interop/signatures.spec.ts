import { generateKeyPairSync } from 'node:crypto';
import { canonicalizeAgentCard, generateAgentCardSignature, verifyAgentCardSignature } from '@a2a-js/sdk';
import { importJWK, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { cardPayload } from '../../lib/agent-card/card-payload.js';
import { CardSigning } from '../../lib/agent-card/card-signing.js';
import { verifyAgentCard } from '../../lib/agent-card/verify-agent-card.js';
import { resolveOptions } from '../../lib/interfaces/resolve-options.js';
import type { AgentCard } from '../../lib/protocol/model.js';
import { JWT } from '../support/secrets/known-secrets.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';

allowPlainSecret('output', JWT, 'the SDK prints the signatures of cards, which are public');

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const JWKS = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256' }];

const CARD: AgentCard = {
  name: 'Ordner ✓ 😀',
  description: 'Tracks orders',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'https://a.example/a2a/jsonrpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'https://a.example/a2a/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 't' },
  ],
  provider: { organization: 'Org', url: 'https://org.example' },
  capabilities: {
    streaming: false,
    pushNotifications: true,
    extensions: [
      { uri: 'urn:x', description: 'X', required: true, params: { n: 1.5, deep: { a: [1, 'b'] } } },
    ],
    extendedAgentCard: false,
  },
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
    key: { apiKeySecurityScheme: { location: 'header', name: 'x-api-key' } },
    oauth: {
      oauth2SecurityScheme: {
        flows: { clientCredentials: { tokenUrl: 'https://a.example/token', scopes: { read: 'Reads' } } },
      },
    },
  },
  securityRequirements: [{ schemes: { oauth: { list: ['read'] } } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [
    { id: 's', name: 'S', description: 'D', tags: ['a'], examples: ['e'], inputModes: ['text/plain'] },
  ],
};
/** The same with a scheme that has no scopes: the SDKs leave the requirement out before they sign. */
const WITH_EMPTY: AgentCard = { ...CARD, securityRequirements: [{ schemes: { bearer: {} } }] };

const signing = (forSdks: boolean) =>
  new CardSigning(
    resolveOptions({
      publicUrl: 'https://a.example',
      signing: { keys: [{ kid: 'k', alg: 'ES256', privateKey }], forSdks },
    }),
  );

/** As the SDK's resolver hands it on. */
const sdkVerify = async (card: AgentCard) =>
  verifyAgentCardSignature(async (kid) => {
    expect(kid).toBe('k');
    return (await importJWK(JWKS[0] as JWK)) as never;
  })(JSON.parse(JSON.stringify(card)));

const sdkSign = (card: AgentCard) =>
  generateAgentCardSignature(privateKey, { alg: 'ES256', kid: 'k', typ: 'JOSE' })(
    card as never,
  ) as Promise<unknown>;

describe('signatures and @a2a-js/sdk', () => {
  it('agree on what is signed', () => {
    expect(canonicalizeAgentCard(CARD as never)).toBe(cardPayload(CARD));
  });

  it('signed here, verified there', async () => {
    const card = await signing(false).sign(CARD);
    await expect(sdkVerify(card)).resolves.toBeUndefined();
    await expect(sdkVerify({ ...card, name: 'Evil' })).rejects.toThrow();
  });

  it('signed there, verified here', async () => {
    const card = JSON.parse(JSON.stringify(await sdkSign(CARD))) as AgentCard;
    await expect(verifyAgentCard(card, { keys: JWKS })).resolves.toMatchObject({ verified: true, kid: 'k' });
    await expect(verifyAgentCard({ ...card, name: 'Evil' }, { keys: JWKS })).rejects.toThrow();
  });

  it('differ where a card has empty members, unless that is asked for', async () => {
    await expect(sdkVerify(await signing(false).sign(WITH_EMPTY))).rejects.toThrow();
    const both = await signing(true).sign(WITH_EMPTY);
    await expect(sdkVerify(both)).resolves.toBeUndefined();
    await expect(verifyAgentCard(both, { keys: JWKS })).resolves.toMatchObject({ verified: true });

    const theirs = JSON.parse(JSON.stringify(await sdkSign(WITH_EMPTY))) as AgentCard;
    await expect(verifyAgentCard(theirs, { keys: JWKS })).rejects.toMatchObject({
      reason: 'invalid-signature',
    });
    await expect(verifyAgentCard(theirs, { keys: JWKS, acceptSdkForm: true })).resolves.toMatchObject({
      verified: true,
    });
  });
});
