import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { FlattenedSign, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { cardPayload } from '../../lib/agent-card/card-payload.js';
import { CardSigning } from '../../lib/agent-card/card-signing.js';
import { AgentCardVerificationError } from '../../lib/agent-card/card-verification-error.js';
import { AgentCardVerifier, verifyAgentCard } from '../../lib/agent-card/verify-agent-card.js';
import type { CardSigningKey } from '../../lib/interfaces/card-signing.js';
import { INVALID_NUMBER } from '../../lib/interfaces/bad-numbers.js';
import { resolveOptions } from '../../lib/interfaces/resolve-options.js';
import { UrlGuard, type UrlAnswer } from '../../lib/interfaces/url-guard.js';
import type { AgentCard } from '../../lib/protocol/model.js';

const ec = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const CARD = {
  name: 'Bestellungen ✓ 注文 😀',
  description: 'Ö',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {
    streaming: false,
    pushNotifications: false,
    extensions: [{ uri: 'urn:x', params: { n: 1e21, f: 0.1, list: [], text: '' } }],
  },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: [],
  skills: [],
  documentationUrl: '',
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
} as unknown as AgentCard;

function signer(keys: readonly CardSigningKey[], more: object = {}): CardSigning {
  const signing = new CardSigning(
    resolveOptions({ publicUrl: 'https://a.example', signing: { keys, ...more } }),
  );
  expect(signing.problem).toBeUndefined();
  return signing;
}

const key = ec();
const signing = signer([{ kid: 'k1', alg: 'ES256', privateKey: key.privateKey }]);
const trusted = { keys: signing.jwks };

/** As it travels. */
const signed = async (by = signing, card = CARD) =>
  JSON.parse(JSON.stringify(await by.sign(card))) as Record<string, unknown> & AgentCard;

async function reasonOf(card: unknown, options: Parameters<typeof verifyAgentCard>[1] = trusted) {
  const error = await verifyAgentCard(card, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AgentCardVerificationError);
  return (error as AgentCardVerificationError).reason;
}

/** Signs the card with any header. */
async function signedWith(header: object, privateKey: KeyObject = key.privateKey) {
  const jws = await new FlattenedSign(Buffer.from(cardPayload(CARD)))
    .setProtectedHeader(header as { alg: string })
    .sign(privateKey, { crit: { 'urn:critical': true } });
  return { ...CARD, signatures: [{ protected: jws.protected!, signature: jws.signature }] };
}

describe('verifyAgentCard', () => {
  it('takes a card that was signed here, with explicit false, empty members, numbers and any text', async () => {
    const { card, verified, kid } = await verifyAgentCard(await signed(), trusted);
    expect({ verified, kid, name: card.name }).toEqual({ verified: true, kid: 'k1', name: CARD.name });
    expect(card).not.toHaveProperty('signatures');
  });

  it.each([
    ['ES256', ec()],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['PS512', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['EdDSA', generateKeyPairSync('ed25519')],
    ['Ed25519', generateKeyPairSync('ed25519')],
  ])('knows %s, with the key as KeyObject, PEM and JWK', async (alg, { privateKey }) => {
    const forms = [
      privateKey,
      privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      privateKey.export({ format: 'jwk' }) as JWK,
    ];
    for (const form of forms) {
      const by = signer([{ kid: 'k', alg, privateKey: form as CardSigningKey['privateKey'] }]);
      expect(by.jwks.keys[0]).toMatchObject({ kid: 'k', alg, use: 'sig' });
      expect(JSON.stringify(by.jwks)).not.toMatch(/"(d|p|q|dp|dq|qi)":/);
      await expect(verifyAgentCard(await signed(by), { keys: by.jwks })).resolves.toMatchObject({
        verified: true,
      });
    }
  });

  it('refuses it when any member was changed, taken away or added', async () => {
    const good = await signed();
    const { signatures, ...members } = good;
    let changed = 0;
    const tampered = [
      ...Object.keys(members).map((name) => ({ ...good, [name]: 'changed' })),
      // A default that is no REQUIRED member is the same absent.
      ...Object.keys(members).map((name) => ({ ...good, [name]: undefined })),
      { ...good, iconUrl: 'https://evil.example/i.png' },
      { ...good, capabilities: { ...good.capabilities, streaming: true } },
      { ...good, capabilities: { ...good.capabilities, streaming: undefined } },
      { ...good, securityRequirements: [{ schemes: { other: {} } }] },
      { ...good, supportedInterfaces: [{ ...good.supportedInterfaces[0]!, url: 'https://evil.example' }] },
      { ...good, supportedInterfaces: [{ ...good.supportedInterfaces[0]!, tenant: 't' }] },
      { ...good, signatures: [{ ...signatures![0]!, protected: `${signatures![0]!.protected}x` }] },
    ];
    for (const card of tampered) {
      expect(await reasonOf(JSON.parse(JSON.stringify(card)))).toBe('invalid-signature');
      changed += 1;
    }
    expect(changed).toBeGreaterThan(20);
  });

  it('never answers with a member that no signature covers', async () => {
    const good = await signed();
    const { card } = await verifyAgentCard({ ...good, later: { evil: true } }, trusted);
    expect(card).not.toHaveProperty('later');
  });

  it('takes a card with members of a later version that its signer signed', async () => {
    const card = { ...CARD, later: { list: [], text: 'x' } };
    const jws = await new FlattenedSign(Buffer.from(cardPayload(card)))
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'JOSE' })
      .sign(key.privateKey);
    const signatures = [{ protected: jws.protected!, signature: jws.signature }];
    await expect(verifyAgentCard({ ...card, signatures }, trusted)).resolves.toMatchObject({
      verified: true,
    });
    expect(await reasonOf({ ...card, later: { list: [], text: 'y' }, signatures })).toBe('invalid-signature');
  });

  it('follows the policy', async () => {
    expect(await reasonOf(CARD)).toBe('unsigned');
    expect(await reasonOf({ ...CARD, signatures: 'none' })).toBe('unsigned');
    await expect(verifyAgentCard(CARD, { ...trusted, policy: 'if-present' })).resolves.toMatchObject({
      verified: false,
    });
    const forged = { ...(await signed()), name: 'Evil' };
    expect(await reasonOf(forged, { ...trusted, policy: 'if-present' })).toBe('invalid-signature');
    await expect(verifyAgentCard(forged, { policy: 'off' })).resolves.toMatchObject({ verified: false });
  });

  it('is content with one good signature of several, wherever it stands', async () => {
    const both = signer([
      { kid: 'old', alg: 'ES256', privateKey: ec().privateKey },
      { kid: 'new', alg: 'ES256', privateKey: ec().privateKey },
    ]);
    const card = await signed(both);
    expect(card.signatures).toHaveLength(2);
    for (const [i, kid] of ['old', 'new'].entries()) {
      const keys = [both.jwks.keys[i]!];
      await expect(verifyAgentCard(card, { keys })).resolves.toMatchObject({ verified: true, kid });
    }
    expect(await reasonOf(card)).toBe('unknown-key');
  });

  it('looks at no more than 16 signatures', async () => {
    const card = await signed();
    const [good] = card.signatures!;
    const bad = { ...good!, signature: 'AA' };
    const with_ = (count: number) => ({ ...card, signatures: [...Array(count).fill(bad), good] });
    await expect(verifyAgentCard(with_(15), trusted)).resolves.toMatchObject({ verified: true });
    expect(await reasonOf(with_(16))).toBe('invalid-signature');
  });

  it.each<[string, () => Promise<object>]>([
    ['crit', () => signedWith({ alg: 'ES256', kid: 'k1', crit: ['urn:critical'], 'urn:critical': 1 })],
    [
      'another algorithm than its key is for',
      () =>
        signedWith(
          { alg: 'ES384', kid: 'k1' },
          generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
        ),
    ],
    ['no kid', () => signedWith({ alg: 'ES256' })],
    ['another key of the same kid', () => signedWith({ alg: 'ES256', kid: 'k1' }, ec().privateKey)],
  ])('refuses a signature with %s', async (_name, make) => {
    expect(['invalid-signature', 'unknown-key']).toContain(await reasonOf(await make()));
  });

  it('takes unknown header members that are not critical', async () => {
    const card = await signedWith({ alg: 'ES256', kid: 'k1', 'urn:other': 'x' });
    await expect(verifyAgentCard(card, trusted)).resolves.toMatchObject({ verified: true });
  });

  it('refuses alg none, and HS256 with the public key as secret', async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const payload = Buffer.from(cardPayload(CARD)).toString('base64url');
    const none = { protected: encode({ alg: 'none', kid: 'k1' }), signature: '' };
    const header = encode({ alg: 'HS256', kid: 'k1' });
    const secret = key.publicKey.export({ type: 'spki', format: 'pem' });
    const mac = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
    const hs256 = { protected: header, signature: mac };
    for (const signature of [none, hs256]) {
      expect(await reasonOf({ ...CARD, signatures: [signature] })).toBe('invalid-signature');
    }
    expect(() => new AgentCardVerifier({ algorithms: ['HS256'] })).toThrow(TypeError);
    expect(() => new AgentCardVerifier({ algorithms: ['none'] })).toThrow(TypeError);
  });

  it('keeps to the list of algorithms', async () => {
    expect(await reasonOf(await signed(), { ...trusted, algorithms: ['PS256'] })).toBe('invalid-signature');
  });

  it('gives nothing on what the header that is not protected says', async () => {
    const card = await signed();
    const signatures = card.signatures!.map((signature) => ({
      ...signature,
      header: { kid: 'x', alg: 'none' },
    }));
    await expect(verifyAgentCard({ ...card, signatures }, trusted)).resolves.toMatchObject({
      verified: true,
    });
    const { protected: _, signature } = card.signatures![0]!;
    const bare = { signature, header: { kid: 'k1', alg: 'ES256' } };
    expect(await reasonOf({ ...CARD, signatures: [bare] })).toBe('invalid-signature');
  });

  it.each([null, 1, {}, { protected: 1 }, { protected: '%%', signature: 1 }, []])(
    'refuses %j as a signature',
    async (signature) => {
      expect(await reasonOf({ ...CARD, signatures: [signature] })).toBe('invalid-signature');
    },
  );

  it('refuses a card that has no canonical form', async () => {
    expect(await reasonOf({ ...(await signed()), name: '\ud800' })).toBe('invalid-signature');
  });

  it('ignores a key that is embedded in the header', async () => {
    const { privateKey, publicKey } = ec();
    const card = await signedWith(
      { alg: 'ES256', kid: 'own', jwk: publicKey.export({ format: 'jwk' }) },
      privateKey,
    );
    expect(await reasonOf(card)).toBe('unknown-key');
  });
});

describe('keys at a jku', () => {
  class Guard extends UrlGuard {
    readonly fetched: string[] = [];
    constructor(private readonly answer: () => Partial<UrlAnswer>) {
      super();
    }
    override async check(): Promise<void> {}
    override dispatcherFor(): never {
      throw new Error('Keys are fetched');
    }
    override async fetch(url: string): Promise<UrlAnswer> {
      this.fetched.push(url);
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(signing.jwks)), ...this.answer() };
    }
  }
  const JKU = 'https://a.example/.well-known/a2a-jwks.json';

  it('are fetched from an allowed origin or URL only, once', async () => {
    const card = await signed();
    for (const jku of [[JKU], ['https://a.example'], ['https://a.example/']]) {
      const guard = new Guard(() => ({}));
      const verifier = new AgentCardVerifier({ jku, guard });
      await expect(verifier.verify(card)).resolves.toMatchObject({ verified: true });
      await verifier.verify(card);
      expect(guard.fetched).toEqual([JKU]);
    }
  });

  it.each([
    [['https://b.example']],
    [['https://a.example/other.json']],
    [['https://a.example.evil.example']],
    [['https://a.example:444']],
    [[]],
  ])('are not fetched where %j is allowed', async (jku) => {
    const guard = new Guard(() => ({}));
    expect(await reasonOf(await signed(), { jku, guard })).toBe('unknown-key');
    expect(guard.fetched).toEqual([]);
  });

  it.each(['http://a.example/k.json', 'https://user@a.example/k.json', 'file:///etc/passwd', 'k.json', 1])(
    'are not fetched from %j',
    async (jku) => {
      const guard = new Guard(() => ({}));
      const card = await signedWith({ alg: 'ES256', kid: 'k1', jku });
      expect(await reasonOf(card, { jku: ['https://a.example'], guard })).toBe('unknown-key');
      expect(guard.fetched).toEqual([]);
    },
  );

  it('are fetched over https only, and through a guard', () => {
    const guard = new Guard(() => ({}));
    expect(() => new AgentCardVerifier({ jku: ['http://a.example'], guard })).toThrow(TypeError);
    expect(() => new AgentCardVerifier({ jku: ['https://a.example'] })).toThrow(TypeError);
  });

  it('are cached for a time that is one', () => {
    expect(() => new AgentCardVerifier({ cacheMs: NaN })).toThrow(
      new TypeError(INVALID_NUMBER('cacheMs', NaN)),
    );
    expect(() => new AgentCardVerifier({ cacheMs: -1 })).toThrow(TypeError);
    expect(() => new AgentCardVerifier({ cacheMs: 0 })).not.toThrow();
  });

  it.each([
    [{ status: 302, headers: { location: 'http://169.254.169.254' } }],
    [{ status: 500 }],
    [{ body: Buffer.from('no json') }],
    [{ body: Buffer.from('{}') }],
  ])('that cannot be had fail closed: %j', async (answer) => {
    const guard = new Guard(() => answer);
    expect(await reasonOf(await signed(), { jku: [JKU], guard })).toBe('keys-unavailable');
  });

  it('are fetched again for a new kid once they are not fresh any more', async () => {
    let keys = { keys: [] as unknown[] };
    const guard = new Guard(() => ({ body: Buffer.from(JSON.stringify(keys)) }));
    const verifier = new AgentCardVerifier({ jku: [JKU], guard, cacheMs: 60_000 });
    const card = await signed();
    const now = Date.now;
    try {
      await expect(verifier.verify(card)).rejects.toMatchObject({ reason: 'unknown-key' });
      keys = signing.jwks as never;
      await expect(verifier.verify(card)).rejects.toMatchObject({ reason: 'unknown-key' });
      Date.now = () => now() + 31_000;
      await expect(verifier.verify(card)).resolves.toMatchObject({ verified: true });
      expect(guard.fetched).toHaveLength(2);
    } finally {
      Date.now = now;
    }
  });
});
