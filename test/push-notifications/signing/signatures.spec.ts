import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { describe, expect, it } from 'vitest';
import { CardSigning } from '../../../lib/agent-card/card-signing.js';
import { KeySigning } from '../../../lib/agent-card/key-signing.js';
import { resolveOptions } from '../../../lib/interfaces/resolve-options.js';
import type { NotificationSigningOptions } from '../../../lib/interfaces/notification-signing.js';
import type { CardSigningKey } from '../../../lib/interfaces/card-signing.js';
import { ConfiguredSigner } from '../../../lib/push-notifications/signing/configured-signer.js';
import { NotificationSecrets } from '../../../lib/push-notifications/signing/notification-secrets.js';
import {
  verifyNotification,
  type SignedNotification,
  type VerificationKeys,
} from '../../../lib/push-notifications/signing/verify-notification.js';

const TOLERANCE = 300_000;
const secret = (kid: string) => ({ kid, secret: randomBytes(32) });
const key = (kid: string): CardSigningKey => ({
  kid,
  alg: 'ES256',
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
});
const [OLD, NEW] = [secret('old'), secret('new')];
const KEYS = [key('k1'), key('k2')];
const NOTIFICATION = {
  id: 'n-1',
  url: 'https://app.example.com/hook',
  body: Buffer.from('{"task":{}}'),
};

function signer(signing: NotificationSigningOptions | undefined, keys: readonly CardSigningKey[] = []) {
  const options = resolveOptions({
    push: { signing },
    ...(keys.length > 0 && { publicUrl: 'https://a.example.com', signing: { keys } }),
  });
  const cards = new CardSigning(options);
  return {
    sign: new ConfiguredSigner(options, new KeySigning(cards)),
    publicKey: createLocalJWKSet(cards.jwks as unknown as JSONWebKeySet),
  };
}

async function signed(
  signing: NotificationSigningOptions,
  keys?: readonly CardSigningKey[],
): Promise<SignedNotification> {
  const headers = await signer(signing, keys).sign.sign(NOTIFICATION);
  return {
    ...NOTIFICATION,
    timestamp: headers['X-A2A-Notification-Timestamp']!,
    signature: headers['X-A2A-Notification-Signature']!,
  };
}

const secrets = (...known: ReturnType<typeof secret>[]): VerificationKeys => ({
  secrets: new NotificationSecrets(known, 'hmac'),
});
const jwks = (keys: readonly CardSigningKey[]): VerificationKeys => ({
  publicKey: signer(undefined, keys).publicKey,
});
const verify = (notification: SignedNotification, keys: VerificationKeys, now?: number) =>
  verifyNotification(notification, keys, TOLERANCE, now);
const refusal = async (notification: SignedNotification, keys: VerificationKeys, now?: number) =>
  verify(notification, keys, now).then(
    () => 'accepted',
    ({ reason }) => reason,
  );

const kinds: [string, () => Promise<SignedNotification>, VerificationKeys][] = [
  ['HMAC', () => signed({ hmac: [NEW] }), secrets(NEW)],
  ['JWS', () => signed({ jws: true }, KEYS), jwks(KEYS)],
];

describe.each(kinds)('a notification signed with %s', (_kind, make, keys) => {
  it('verifies as it was sent', async () => {
    expect((await verify(await make(), keys)).kid).toBe(keys.secrets ? 'new' : 'k1');
  });

  it.each<[string, Partial<SignedNotification>]>([
    ['id', { id: 'n-2' }],
    ['body', { body: Buffer.from('{"task":{} }') }],
    ['receiver', { url: 'https://other.example.com/hook' }],
    ['id and body, moved into each other', { id: 'n', body: Buffer.from('-1{"task":{}}') }],
  ])('does not with another %s', async (_what, changes) => {
    expect(await refusal({ ...(await make()), ...changes }, keys)).toBe('invalid-signature');
  });

  it('does not with another time', async () => {
    const notification = await make();
    const timestamp = String(Number(notification.timestamp) + 1);
    expect(await refusal({ ...notification, timestamp }, keys)).toBe('invalid-signature');
  });

  it('takes the URL in any spelling of it', async () => {
    await verify({ ...(await make()), url: 'HTTPS://app.example.com:443/hook' }, keys);
  });

  it('is good for the window and not longer, by clocks that are behind or ahead', async () => {
    const notification = await make();
    const at = Number(notification.timestamp) * 1_000;
    for (const now of [at - TOLERANCE, at + TOLERANCE]) await verify(notification, keys, now);
    for (const now of [at - TOLERANCE - 1, at + TOLERANCE + 1])
      expect(await refusal(notification, keys, now)).toBe('stale');
  });

  it.each<[Partial<SignedNotification>, string]>([
    [{ signature: '' }, 'unsigned'],
    [{ timestamp: '' }, 'unsigned'],
    [{ timestamp: '1e9' }, 'malformed'],
    [{ timestamp: '-1' }, 'malformed'],
    [{ signature: 'x'.repeat(20_000) }, 'malformed'],
    [{ signature: 'jws a..b, '.repeat(9) + 'jws a..b' }, 'malformed'],
    [{ signature: 'none' }, 'unknown-key'],
    [{ signature: 'hmac-sha256 new AAAA' }, 'any'],
  ])('does not with %o', async (changes, reason) => {
    const found = await refusal({ ...(await make()), ...changes }, keys);
    if (reason === 'any') expect(['invalid-signature', 'unknown-key']).toContain(found);
    else expect(found).toBe(reason);
  });
});

describe('keys that change', () => {
  it('are both known while both sign: each receiver finds its own', async () => {
    const notification = await signed({ hmac: [NEW, OLD] });
    expect(await verify(notification, secrets(OLD))).toEqual({ kid: 'old' });
    expect(await verify(notification, secrets(NEW))).toEqual({ kid: 'new' });
    expect(await refusal(await signed({ hmac: [NEW] }), secrets(OLD))).toBe('unknown-key');
    const [first, second] = KEYS as [CardSigningKey, CardSigningKey];
    const byBoth = await signed({ jws: true }, [first, second]);
    expect(await verify(byBoth, jwks([second]))).toEqual({ kid: 'k2' });
    expect(await refusal(await signed({ jws: true }, [first]), jwks([second]))).toBe('unknown-key');
  });

  it('do not fit by their name alone', async () => {
    const other = { ...secret('new') };
    expect(await refusal(await signed({ hmac: [NEW] }), secrets(other))).toBe('invalid-signature');
    expect(await refusal(await signed({ jws: true }, [KEYS[0]!]), jwks([key('k1')]))).toBe(
      'invalid-signature',
    );
  });

  it('may be of both kinds', async () => {
    const notification = await signed({ hmac: [NEW], jws: true }, KEYS);
    expect(await verify(notification, secrets(NEW))).toEqual({ kid: 'new' });
    expect(await verify(notification, jwks(KEYS))).toEqual({ kid: 'k1' });
  });

  it('cannot be had: that is no fault of the notification', async () => {
    const publicKey = () => Promise.reject(new Error('no network'));
    expect(await refusal(await signed({ jws: true }, KEYS), { publicKey })).toBe('keys-unavailable');
  });
});

describe('a JWS of something else', () => {
  it('is none of a notification', async () => {
    const options = resolveOptions({ publicUrl: 'https://a.example.com', signing: { keys: KEYS } });
    const cards = new CardSigning(options);
    const notification = await signed({ jws: true }, KEYS);
    const text = Buffer.from(`n-1\n${notification.timestamp}\nhttps://app.example.com/hook\n{"task":{}}`);
    const own = await new KeySigning(cards).sign(text, 'a2a-notification');
    expect(await verify({ ...notification, signature: `jws ${own[0]}` }, jwks(KEYS))).toEqual({ kid: 'k1' });
    const other = await new KeySigning(cards).sign(text, 'JOSE');
    expect(await refusal({ ...notification, signature: `jws ${other[0]}` }, jwks(KEYS))).toBe(
      'invalid-signature',
    );
  });

  it('cannot be made with a public key as the secret', async () => {
    const protectedHeader = Buffer.from('{"alg":"HS256","kid":"k1","typ":"a2a-notification"}').toString(
      'base64url',
    );
    const notification = {
      ...(await signed({ jws: true }, KEYS)),
      signature: `jws ${protectedHeader}..AAAA`,
    };
    expect(await refusal(notification, jwks(KEYS))).toBe('invalid-signature');
  });
});

describe('the options of signing', () => {
  it('sign nothing unless told to', async () => {
    expect(await signer(undefined, KEYS).sign.sign(NOTIFICATION)).toEqual({});
  });

  it.each<[NotificationSigningOptions, string]>([
    [{}, 'push.signing has no key'],
    [{ hmac: [] }, 'push.signing has no key'],
    [{ jws: true }, 'set signing.keys'],
    [{ hmac: [{ kid: 'a b', secret: 'x'.repeat(32) }] }, 'push.signing.hmac[0].kid must be a name'],
    [{ hmac: [{ kid: 'a', secret: 'too short' }] }, 'push.signing.hmac[0].secret has fewer than 32 bytes'],
    [{ hmac: [OLD, { ...NEW, kid: 'old' }] }, 'two secrets with the kid "old"'],
  ])('%j: are refused with what to do', (signing, problem) => {
    expect(() => signer(signing)).toThrow(problem);
    expect(() => signer(signing)).not.toThrow('too short');
  });
});
