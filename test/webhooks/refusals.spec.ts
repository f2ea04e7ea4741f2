import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import {
  A2AModule,
  UnavailableError,
  type A2AWebhookModuleOptions,
  type CardSigningKey,
  type NotificationSigningOptions,
} from 'nest-a2a';
import { describe, expect, it, vi } from 'vitest';
import { CardSigning } from '../../lib/agent-card/card-signing.js';
import { KeySigning } from '../../lib/agent-card/key-signing.js';
import { resolveOptions } from '../../lib/interfaces/resolve-options.js';
import { ConfiguredSigner } from '../../lib/push-notifications/signing/configured-signer.js';
import { PLATFORMS, serve } from '../docs/serve.js';
import { Inbox, notify, PATH, reasonOf, receiver, statusUpdate, TOKEN } from './harness.js';

describe.each(PLATFORMS)('what is no notification, on %s', (platform) => {
  it.each<[string, unknown, Record<string, string | undefined>, number, string]>([
    ['no JSON', '{"task":', {}, 400, 'JSON_PARSE'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'JSON_PARSE'],
    ['nothing', '', {}, 400, 'INVALID_PARAMS'],
    ['an array', [], {}, 400, 'INVALID_PARAMS'],
    ['no member', {}, {}, 400, 'INVALID_PARAMS'],
    ['two members', { ...statusUpdate(), message: {} }, {}, 400, 'INVALID_PARAMS'],
    ['a bad state', statusUpdate('t1', 'DONE'), {}, 400, 'INVALID_PARAMS'],
    ['text', 'hi', { 'content-type': 'text/plain' }, 415, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['packed', statusUpdate(), { 'content-encoding': 'gzip' }, 415, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['version 0.3', statusUpdate(), { 'a2a-version': '0.3' }, 400, 'VERSION_NOT_SUPPORTED'],
    ['a long id', statusUpdate(), { 'x-a2a-notification-id': 'x'.repeat(600) }, 400, 'INVALID_PARAMS'],
    ['too large', 'x'.repeat(2_000), {}, 413, 'PAYLOAD_TOO_LARGE'],
  ])('is refused: %s', async (_what, event, headers, status, reason) => {
    await using served = await serve(platform, receiver({ token: TOKEN, bodyLimit: 1_000 }));
    const answer = await notify(served.base, event, headers);
    expect([answer.status, reasonOf(answer)]).toEqual([status, reason]);
    expect(served.app.get(Inbox).arrived).toEqual([]);
  });

  it('is refused by other methods and paths', async () => {
    await using served = await serve(platform, receiver());
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const response = await fetch(served.base + PATH, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect((await notify(served.base, statusUpdate(), {}, `${PATH}/more`)).status).toBe(404);
  });

  it('is taken without a version, as plain JSON, and with a query', async () => {
    await using served = await serve(platform, receiver());
    const plain = { 'a2a-version': undefined, 'content-type': 'application/json' };
    expect((await notify(served.base, statusUpdate(), plain, `${PATH}?from=us`)).status).toBe(204);
  });
});

const basic = Buffer.from('ann:secret').toString('base64');

type Case = [
  options: A2AWebhookModuleOptions,
  good: Record<string, string>,
  bad: Record<string, string | undefined>[],
];

const CASES: Record<string, Case> = {
  'a token': [{ token: 'right' }, token('right'), [token('wrong'), token(''), token(undefined)]],
  'one of several tokens': [{ token: ['old', 'new'] }, token('old'), [token('other'), token('old, new')]],
  'the token of the task': [
    { token: async (taskId) => (taskId === 't1' ? 'of t1' : undefined) },
    token('of t1'),
    [token('of t2'), token('undefined'), token(undefined)],
  ],
  'a token that a function approves': [
    { token: { validate: (given, taskId) => given === `for ${taskId}` } },
    token('for t1'),
    [token('for t2'), token(undefined)],
  ],
  'a bearer token': [
    { credentials: { scheme: 'Bearer', expected: 'right' } },
    { authorization: 'bearer right' },
    [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic right' }, { authorization: 'right' }],
  ],
  'name and password': [
    { credentials: { scheme: 'Basic', expected: basic } },
    { authorization: `Basic ${basic}` },
    [{}, { authorization: 'Basic YW5uOnNlY3JldA' }, { authorization: `Bearer ${basic}` }],
  ],
  'an API key': [
    { credentials: { header: 'X-Api-Key', expected: (taskId) => `key of ${taskId}` } },
    { 'x-api-key': 'key of t1' },
    [{}, { 'x-api-key': 'key of t2' }, { authorization: 'key of t1' }],
  ],
};

function token(value: string | undefined): Record<string, string | undefined> & Record<string, string> {
  return { 'x-a2a-notification-token': value } as Record<string, string>;
}

describe.each(PLATFORMS)('what a notification must bring, on %s', (platform) => {
  it.each(Object.entries(CASES))('%s', async (_what, [options, good, bad]) => {
    await using served = await serve(platform, receiver(options));
    for (const headers of bad) {
      const answer = await notify(served.base, statusUpdate(), { ...token(undefined), ...headers });
      expect([answer.status, reasonOf(answer)], JSON.stringify(headers)).toEqual([401, 'UNAUTHENTICATED']);
      expect(answer.headers.get('www-authenticate')).toContain('realm="a2a"');
      expect(JSON.stringify(answer.body)).not.toContain('right');
    }
    expect(served.app.get(Inbox).arrived).toEqual([]);
    const answer = await notify(served.base, statusUpdate(), { ...token(undefined), ...good });
    expect(answer.status).toBe(204);
  });

  it('all of it, and the challenges name all of it', async () => {
    const options = { token: TOKEN, credentials: { scheme: 'Bearer', expected: 'right' } };
    await using served = await serve(platform, receiver(options));
    const answer = await notify(served.base);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="a2a", A2A-Notification-Token realm="a2a"',
    ]);
    expect((await notify(served.base, statusUpdate(), { authorization: 'Bearer right' })).status).toBe(204);
  });

  it('is looked at before the body', async () => {
    await using served = await serve(platform, receiver());
    expect((await notify(served.base, 'no JSON', token('wrong'))).status).toBe(401);
  });

  it('a task that is expected', async () => {
    const task = (taskId: string) => {
      if (taskId === 'later') throw new UnavailableError();
      return taskId === 't1';
    };
    await using served = await serve(platform, receiver({ token: TOKEN, task }));
    const statuses = ['t1', 't2', 'later'].map(
      async (id) => (await notify(served.base, statusUpdate(id))).status,
    );
    expect(await Promise.all(statuses)).toEqual([204, 403, 503]);
    const message = { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } };
    const answer = await notify(served.base, message);
    expect([answer.status, reasonOf(answer)]).toEqual([403, 'PERMISSION_DENIED']);
  });

  it('and no function of the application tells the sender how it failed', async () => {
    const failing = () => Promise.reject(new Error('SELECT * FROM secrets'));
    await using served = await serve(platform, receiver({ token: failing }));
    const answer = await notify(served.base);
    expect([answer.status, reasonOf(answer)]).toEqual([500, 'INTERNAL']);
    expect(JSON.stringify(answer.body)).not.toContain('secrets');
  });

  it('no secret reaches the log', async () => {
    const written: unknown[] = [];
    const spies = (['log', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(Logger.prototype, level).mockImplementation((...args: unknown[]) => void written.push(args)),
    );
    try {
      const options = {
        token: 's3cr3t-token',
        credentials: { scheme: 'Bearer', expected: 's3cr3t-credentials' },
      };
      await using served = await serve(platform, receiver(options));
      served.app.get(Inbox).work = () => {
        throw new Error('broken');
      };
      const right = { ...token('s3cr3t-token'), authorization: 'Bearer s3cr3t-credentials' };
      const statuses = [token('s3cr3t-wrong'), right].map(
        async (headers) => (await notify(served.base, statusUpdate(), headers)).status,
      );
      expect(await Promise.all(statuses)).toEqual([401, 500]);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    const text = JSON.stringify(written);
    expect(text).toContain('was refused');
    expect(text).toContain('Inbox.onAny() failed');
    expect(text).not.toMatch(/s3cr3t-/);
  });
});

const URL_OF_HOOK = 'https://app.example.com/a2a/notifications';
const secret = (kid: string) => ({ kid, secret: randomBytes(32) });
const [OLD, NEW] = [secret('old'), secret('new')];
const KEYS: CardSigningKey[] = ['k1', 'k2'].map((kid) => ({
  kid,
  alg: 'ES256',
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
}));

/** What the sender signs with, and its JWKS. */
function sender(signing: NotificationSigningOptions, keys = KEYS) {
  const options = resolveOptions({
    publicUrl: 'https://agent.example.com',
    signing: { keys },
    push: { signing },
  });
  const cards = new CardSigning(options);
  const signer = new ConfiguredSigner(options, new KeySigning(cards));
  const send = async (
    base: string,
    { id = 'n1', url = URL_OF_HOOK, body = statusUpdate() as object } = {},
  ) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = await signer.sign({ id, url, body: bytes });
    return { bytes, headers: { 'x-a2a-notification-id': id, ...headers }, base };
  };
  return { jwks: cards.jwks, send };
}

type Sent = Awaited<ReturnType<ReturnType<typeof sender>['send']>>;
const post = ({ base, bytes, headers }: Sent, changes: Record<string, string | undefined> = {}) =>
  notify(base, bytes, { ...token(undefined), ...headers, ...changes });

describe.each(PLATFORMS)('signatures on %s', (platform) => {
  const hmac = { signature: { url: URL_OF_HOOK, hmac: [NEW] } };

  it('are checked over the bytes as they came', async () => {
    await using served = await serve(platform, receiver(hmac));
    const sent = await sender({ hmac: [NEW] }).send(served.base);
    const spaced = { ...sent, bytes: Buffer.from(`${sent.bytes} `) };
    for (const changed of [
      post(spaced),
      post(sent, { 'x-a2a-notification-id': 'n2' }),
      post(sent, { 'x-a2a-notification-timestamp': String(Math.floor(Date.now() / 1_000) + 9) }),
      post(sent, { 'x-a2a-notification-signature': 'hmac-sha256 new AAAA' }),
      post(sent, { 'x-a2a-notification-signature': undefined }),
      post(sent, { 'x-a2a-notification-id': undefined }),
    ]) {
      const answer = await changed;
      expect([answer.status, reasonOf(answer)]).toEqual([401, 'UNAUTHENTICATED']);
      expect(answer.headers.get('www-authenticate')).toBe('A2A-Notification-Signature realm="a2a"');
    }
    expect(served.app.get(Inbox).arrived).toEqual([]);
    expect((await post(sent)).status).toBe(204);
    expect(served.app.get(Inbox).arrived[0]?.delivery.signedBy).toBe('new');
  });

  it('are none for another receiver', async () => {
    const urls = [URL_OF_HOOK, 'https://other.example.com/hook'];
    await using served = await serve(platform, receiver({ signature: { url: urls, hmac: [NEW] } }));
    const { send } = sender({ hmac: [NEW] });
    expect((await post(await send(served.base, { url: 'https://evil.example.com/' }))).status).toBe(401);
    expect((await post(await send(served.base, { url: urls[1] }))).status).toBe(204);
  });

  it('cannot be replayed: neither later, nor within the window', async () => {
    await using served = await serve(platform, receiver(hmac));
    const sent = await sender({ hmac: [NEW] }).send(served.base);
    expect((await post(sent)).status).toBe(204);
    expect((await post(sent)).status).toBe(204);
    expect(served.app.get(Inbox).arrived).toHaveLength(1);
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 301_000);
    try {
      const answer = await post(sent);
      expect([answer.status, answer.body.error.message]).toEqual([
        401,
        'The signature of the notification is not of this time',
      ]);
    } finally {
      now.mockRestore();
    }
  });

  it('go on while keys change', async () => {
    await using before = await serve(platform, receiver({ signature: { url: URL_OF_HOOK, hmac: [OLD] } }));
    await using during = await serve(
      platform,
      receiver({ signature: { url: URL_OF_HOOK, hmac: [OLD, NEW] } }),
    );
    const both = sender({ hmac: [OLD, NEW] });
    expect((await post(await both.send(before.base))).status).toBe(204);
    expect((await post(await both.send(during.base))).status).toBe(204);
    const after = sender({ hmac: [NEW] });
    expect((await post(await after.send(during.base, { id: 'n2' }))).status).toBe(204);
    expect((await post(await after.send(before.base, { id: 'n2' }))).status).toBe(401);
  });

  it('are verified by a JWKS that is given', async () => {
    const { jwks, send } = sender({ jws: true });
    await using served = await serve(platform, receiver({ signature: { url: URL_OF_HOOK, jwks } }));
    expect((await post(await send(served.base))).status).toBe(204);
    const strangers = [
      { ...KEYS[0]!, privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey },
    ];
    const forged = await sender({ jws: true }, strangers).send(served.base, { id: 'n2' });
    expect((await post(forged)).status).toBe(401);
    expect(served.app.get(Inbox).arrived[0]?.delivery.signedBy).toBe('k1');
  });

  it('are verified by a JWKS that is fetched, within what the UrlGuard allows', async () => {
    const { jwks, send } = sender({ jws: true });
    let fetched = 0;
    let up = false;
    const keys = createServer((_request, response) => {
      fetched++;
      response.statusCode = up ? 200 : 503;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => keys.once('listening', resolve));
    try {
      const place = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks`;
      const signature = { url: URL_OF_HOOK, jwks: place };
      await using closed = await serve(platform, receiver({ signature }));
      expect((await post(await send(closed.base))).status).toBe(503);
      expect(fetched).toBe(0);
      await using shared = await serve(
        platform,
        receiver({ signature }, { imports: [A2AModule.forRoot({ urls: { allow: ['127.0.0.1'] } })] }),
      );
      const down = await post(await send(shared.base));
      expect([down.status, down.headers.get('retry-after')]).toEqual([503, '5']);
      up = true;
      expect((await post(await send(shared.base))).status).toBe(204);
      expect((await post(await send(shared.base, { id: 'n2' }))).status).toBe(204);
      expect(fetched).toBe(2);
      await using own = await serve(platform, receiver({ signature, urls: { allow: ['127.0.0.1'] } }));
      expect((await post(await send(own.base))).status).toBe(204);
    } finally {
      keys.close();
    }
  });
});
