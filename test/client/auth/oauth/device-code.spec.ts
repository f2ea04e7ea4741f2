import { once, EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { UnauthenticatedError } from 'nest-a2a';
import {
  createA2AClient,
  deviceCode,
  type A2AClient,
  type DeviceCodeOptions,
  type DevicePrompt,
} from 'nest-a2a/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_BINDINGS } from '../../clients.js';
import { AuthorizationServer } from '../support/authorization-server.js';
import { oauthScheme, startOAuthAgent } from '../support/oauth-agent.js';
import { json } from '../support/recording-agent.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

let server: AuthorizationServer;
let agent: Awaited<ReturnType<typeof startOAuthAgent>>;
let client: A2AClient;
let prompts: DevicePrompt[];
beforeEach(async () => {
  server = await AuthorizationServer.start();
  agent = await startOAuthAgent(server, oauthScheme(server, 'deviceCode'));
  prompts = [];
});
afterEach(async () => {
  await client?.close();
  await agent[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Users decide at once, as they are told. */
function clientWith(
  decision: 'allowed' | 'denied' | 'expired' | 'pending',
  options: Partial<DeviceCodeOptions> = {},
) {
  const prompt = (shown: DevicePrompt) => {
    prompts.push(shown);
    server.decide(decision);
  };
  const oauth = deviceCode({ clientId: 'public', allowOrigins: [server.issuer], prompt, ...options });
  client = createA2AClient(agent.base, { credentials: { oauth } });
  return client;
}

describe('the device code flow', () => {
  it('shows the user where to go, and waits', async () => {
    const shown = new EventEmitter();
    const prompt = (given: DevicePrompt) => void shown.emit('prompt', given);
    clientWith('pending', { prompt });
    const prompted = once(shown, 'prompt') as Promise<[DevicePrompt]>;
    const call = client.getTask({ id: 't1' });
    const [given] = await prompted;
    expect(given).toEqual({
      userCode: 'WDJB-MJHT',
      verificationUri: `${server.issuer}/activate`,
      verificationUriComplete: `${server.issuer}/activate?code=WDJB-MJHT`,
      expiresAt: expect.any(Date) as Date,
      agentName: 'Recorder',
    });
    expect(given.expiresAt.getTime()).toBeGreaterThan(Date.now() + 30_000);
    const [device] = server.devices.values();
    await expect.poll(() => device!.polls).toBeGreaterThan(1);
    expect(agent.calls).toEqual([]);
    server.decide('allowed');
    expect(await call).toMatchObject({ id: 't1' });
    expect(server.requests[0]).toMatchObject({
      path: '/device',
      parameters: { client_id: 'public', scope: 'use' },
    });
    expect(server.tokenRequests.every(({ parameters }) => parameters['grant_type'] === GRANT)).toBe(true);
  });

  it('asks one user once for many calls', async () => {
    clientWith('allowed');
    await Promise.all(Array.from({ length: 20 }, () => client.getTask({ id: 't1' })));
    await client.getTask({ id: 't1' });
    expect(prompts).toHaveLength(1);
  });

  it.each([
    ['denied', 'access_denied'],
    ['expired', 'expired_token'],
  ] as const)('ends when the user has %s', async (decision, code) => {
    clientWith(decision);
    await expect(client.getTask({ id: 't1' })).rejects.toMatchObject({ name: 'TokenRequestError', code });
    expect(agent.calls).toEqual([]);
  });

  it('ends with the signal of the call, and stops polling', async () => {
    clientWith('pending');
    const leaving = new AbortController();
    const call = client.getTask({ id: 't1' }, { signal: leaving.signal });
    const outcome = expect(call).rejects.toThrow('bye');
    const polls = (code: string) =>
      server.tokenRequests.filter(({ parameters }) => parameters['device_code'] === code).length;
    const waiting = () => [...server.devices.keys()].at(-1) ?? '';
    await expect.poll(() => polls(waiting())).toBeGreaterThan(1);
    const left = waiting();
    leaving.abort(new Error('bye'));
    await outcome;
    const before = polls(left);
    clientWith('pending');
    const next = client.getTask({ id: 't1' });
    await expect.poll(() => waiting() !== left && polls(waiting())).toBeGreaterThan(4);
    // One may have been under way.
    expect(polls(left)).toBeLessThanOrEqual(before + 1);
    server.decide('allowed');
    await next;
  });

  it('throws what the prompt throws', async () => {
    clientWith('pending', { prompt: () => Promise.reject(new Error('nobody is there')) });
    await expect(client.getTask({ id: 't1' })).rejects.toThrow('nobody is there');
    expect(server.tokenRequests).toEqual([]);
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'activate'])('shows no user %s', async (uri) => {
    clientWith('allowed');
    server.instead.set('/device', (_, response) =>
      json(response, 200, { device_code: 'd', user_code: 'u', verification_uri: uri, expires_in: 60 }),
    );
    await expect(client.getTask({ id: 't1' })).rejects.toThrow('names no web page');
    expect(prompts).toEqual([]);
  });

  it('needs an endpoint', async () => {
    clientWith('allowed', { tokenUrl: `${server.issuer}/token` });
    await expect(client.getTask({ id: 't1' })).rejects.toThrow('give a deviceAuthorizationUrl');
  });

  it('takes the endpoints of the application', async () => {
    clientWith('allowed', {
      allowOrigins: [],
      tokenUrl: `${server.issuer}/token`,
      deviceAuthorizationUrl: `${server.issuer}/device`,
    });
    expect(await client.getTask({ id: 't1' })).toMatchObject({ id: 't1' });
  });
});

describe.each(CLIENT_BINDINGS)('refresh tokens over %s', (binding) => {
  const signIn = async () => {
    clientWith('allowed');
    const oauth = deviceCode({
      clientId: 'public',
      issuer: server.issuer,
      prompt: (shown) => {
        prompts.push(shown);
        server.decide('allowed');
      },
    });
    client = createA2AClient(agent.base, { bindings: [binding], credentials: { oauth } });
    await client.getTask({ id: 't1' });
  };
  const refreshes = () =>
    server.tokenRequests.filter(({ parameters }) => parameters['grant_type'] === 'refresh_token');

  it('are used once each, for 50 calls whose token is refused', async () => {
    await signIn();
    for (let round = 1; round <= 3; round++) {
      agent.refused.add(server.issued.at(-1)!);
      await Promise.all(Array.from({ length: 50 }, () => client.getTask({ id: 't1' })));
      expect(server.issued).toHaveLength(round + 1);
    }
    const used = refreshes().map(({ parameters }) => parameters['refresh_token']);
    expect(new Set(used).size).toBe(3);
    expect(prompts).toHaveLength(1);
  });

  it('are used before a subscription, when the token has expired', async () => {
    server.expiresIn = 0;
    await signIn();
    for await (const { task } of client.subscribeToTask({ id: 't1' })) expect(task?.id).toBe('t1');
    expect(agent.calls.map(({ headers }) => headers.authorization)).toEqual(
      server.issued.map((token) => `Bearer ${token}`),
    );
    expect(refreshes()).toHaveLength(1);
  });

  it('that do not do any more have the user asked again', async () => {
    await signIn();
    server.forgetRefreshTokens();
    agent.refused.add(server.issued[0]!);
    await client.getTask({ id: 't1' });
    expect(prompts).toHaveLength(2);
  });

  it('are kept when the server cannot be asked', async () => {
    await signIn();
    agent.refused.add(server.issued[0]!);
    server.instead.set('/token', (_, response) => json(response, 503, {}));
    await expect(client.getTask({ id: 't1' })).rejects.toThrow(UnauthenticatedError);
    server.instead.clear();
    await client.getTask({ id: 't1' });
    expect(prompts).toHaveLength(1);
    expect(server.issued).toHaveLength(2);
  });
});

describe('the options of the device code flow', () => {
  it('have a prompt', () => {
    expect(() => deviceCode({ clientId: 'public' } as never)).toThrow(TypeError);
  });

  it('are not shown', () => {
    const credential = deviceCode({ clientId: 'a', clientSecret: 's3cr3t-of-a-client', prompt: () => {} });
    expect(inspect(credential, { depth: 9, showHidden: true })).not.toContain('s3cr3t-of-a-client');
  });
});
