import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { M } from '../support/message.js';
import { PLATFORMS } from './support/app.js';
import { BINDINGS, Peer } from './support/peer.js';

const ORIGIN = 'https://app.example.com';
const ASKED = ['a2a-version', 'a2a-extensions', 'authorization', 'content-type', 'last-event-id'];
const CARD = '/.well-known/agent-card.json';

const listOf = (value: string | null) => (value ?? '').toLowerCase().split(/, */);

describe.each(PLATFORMS)('D27 CORS on %s', (adapter) => {
  let on: Fixture;
  let off: Fixture;

  beforeAll(async () => {
    const env = { PORT: '0', ADAPTER: adapter, AUTH: 'bearer', EXTENSIONS: 'https://example.com/ext' };
    on = await startFixture({ ...env, CORS: 'on' });
    off = await startFixture(env);
  });
  afterAll(async () => {
    await on?.close();
    await off?.close();
  });

  const preflight = (url: string, method: string) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': method,
        'access-control-request-headers': ASKED.join(','),
      },
    });

  it.each([
    ['/a2a/jsonrpc', 'POST'],
    ['/a2a/rest/message:send', 'POST'],
    ['/a2a/rest/message:stream', 'POST'],
    ['/a2a/rest/tasks', 'GET'],
    ['/a2a/rest/t1/tasks/x:cancel', 'POST'],
    ['/a2a/rest/tasks/x/pushNotificationConfigs/c', 'DELETE'],
  ])('a preflight of %s is answered without sign-in', async (path, method) => {
    const response = await preflight(on.base + path, method);
    expect([200, 204]).toContain(response.status);
    expect(['*', ORIGIN]).toContain(response.headers.get('access-control-allow-origin'));
    expect(listOf(response.headers.get('access-control-allow-headers'))).toEqual(
      expect.arrayContaining(ASKED),
    );
    expect(listOf(response.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase());
  });

  it.each(BINDINGS)(
    'answers, errors and streams over %s are readable, with their headers',
    async (binding) => {
      const peer = new Peer(`${on.base}/a2a`, binding).with({ origin: ORIGIN });
      const signedIn = peer.as('ada').with({ origin: ORIGIN, 'a2a-extensions': 'https://example.com/ext' });
      const stream = await signedIn.request('SendStreamingMessage', M('quick'));
      await stream.text();
      const answers = [
        await signedIn.call('SendMessage', M('quick')),
        await signedIn.call('GetTask', { id: 'unknown' }),
        await peer.call('SendMessage', M('quick')),
        stream,
      ];
      for (const { headers } of answers) {
        expect(['*', ORIGIN]).toContain(headers.get('access-control-allow-origin'));
        expect(listOf(headers.get('access-control-expose-headers'))).toEqual(
          expect.arrayContaining(['a2a-extensions', 'etag', 'www-authenticate']),
        );
      }
      expect(answers[2]).toMatchObject({ httpStatus: 401 });
    },
  );

  it('the card is readable, and its ETag, too', async () => {
    const response = await fetch(on.base + CARD, { headers: { origin: ORIGIN } });
    expect(['*', ORIGIN]).toContain(response.headers.get('access-control-allow-origin'));
    expect(listOf(response.headers.get('access-control-expose-headers'))).toContain('etag');
    const asked = await preflight(on.base + CARD, 'GET');
    expect([200, 204]).toContain(asked.status);
    expect(listOf(asked.headers.get('access-control-allow-headers'))).toEqual(expect.arrayContaining(ASKED));
  });

  it('is off unless asked for', async () => {
    const response = await preflight(`${off.base}/a2a/jsonrpc`, 'POST');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const card = await fetch(off.base + CARD, { headers: { origin: ORIGIN } });
    expect(card.headers.get('access-control-allow-origin')).toBeNull();
  });
});
