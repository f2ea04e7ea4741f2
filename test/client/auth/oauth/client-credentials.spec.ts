import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { exportJWK, generateKeyPair } from 'jose';
import { UnauthenticatedError } from 'nest-a2a';
import {
  clientCredentials,
  createA2AClient,
  TokenRequestError,
  type Credential,
  type OAuthOptions,
} from 'nest-a2a/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_BINDINGS, clientOf } from '../../clients.js';
import { allowPlainSecret } from '../../../support/secrets/leaks.js';
import { AuthorizationServer, CLIENT } from '../support/authorization-server.js';
import { startOAuthAgent } from '../support/oauth-agent.js';
import { json } from '../support/recording-agent.js';

let server: AuthorizationServer;
let agent: Awaited<ReturnType<typeof startOAuthAgent>>;
beforeEach(async () => {
  server = await AuthorizationServer.start();
  agent = await startOAuthAgent(server);
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const credential = (options: Partial<OAuthOptions> = {}) =>
  clientCredentials({ ...CLIENT, issuer: server.issuer, ...options });
const clientWith = (oauth: Credential) => createA2AClient(agent.base, { credentials: { oauth } });

describe('client credentials', () => {
  it('get a token once, for the scopes that the card requires', async () => {
    const client = clientWith(credential({ parameters: { resource: 'https://vault.example' } }));
    await Promise.all(Array.from({ length: 20 }, () => client.getTask({ id: 't1' })));
    expect(server.requests.map(({ path, parameters }) => [path, parameters])).toEqual([
      ['/token', { grant_type: 'client_credentials', scope: 'use', resource: 'https://vault.example' }],
    ]);
    expect(server.requests[0]!.headers).toMatchObject({
      'content-type': expect.stringContaining('application/x-www-form-urlencoded') as string,
      authorization: expect.stringMatching(/^Basic /) as string,
    });
    await client.close();
  });

  it('ask for the scopes of the application instead, where it says so', async () => {
    const client = clientWith(credential({ scopes: ['b', 'a'] }));
    await client.getTask({ id: 't1' });
    expect(server.requests[0]!.parameters['scope']).toBe('a b');
    await client.close();
    const none = clientWith(credential({ scopes: [] }));
    await none.getTask({ id: 't1' });
    expect(server.requests[1]!.parameters).not.toHaveProperty('scope');
    await none.close();
  });

  it('get tokens of their own for each agent', async () => {
    const other = await startOAuthAgent(server);
    const shared = credential();
    for (const { base } of [agent, other, agent]) {
      const client = createA2AClient(base, { credentials: { oauth: shared } });
      await client.getTask({ id: 't1' });
      await client.close();
    }
    expect(server.issued).toHaveLength(2);
    expect(agent.calls.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer ${server.issued[0]}`),
    );
    await other[Symbol.asyncDispose]();
  });

  it('get another token when the one that they have expires', async () => {
    server.expiresIn = 0;
    const client = clientWith(credential());
    await client.getTask({ id: 't1' });
    await client.getTask({ id: 't1' });
    expect(server.issued).toHaveLength(2);
    await client.close();
  });

  describe('prove who the client is', () => {
    const proven = async (options: OAuthOptions) => {
      const client = clientWith(clientCredentials(options));
      await client.getTask({ id: 't1' }).finally(() => client.close());
      return server.tokenRequests.at(-1)!;
    };

    it('by client_secret_basic', async () => {
      const { parameters, headers } = await proven({ ...CLIENT, issuer: server.issuer });
      expect(parameters).not.toHaveProperty('client_secret');
      expect(headers.authorization).toMatch(/^Basic /);
    });

    it('by client_secret_post', async () => {
      const authentication = 'client_secret_post';
      const { parameters, headers } = await proven({ ...CLIENT, issuer: server.issuer, authentication });
      expect(parameters).toMatchObject({ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret });
      expect(headers).not.toHaveProperty('authorization');
    });

    it.each(['rsa', 'P-256', 'P-384', 'ed25519'])('by private_key_jwt with %s', async (kind) => {
      const pair =
        kind === 'rsa'
          ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
          : kind === 'ed25519'
            ? generateKeyPairSync('ed25519')
            : generateKeyPairSync('ec', { namedCurve: kind });
      server.clientKeys.set('signer', pair.publicKey.export({ format: 'jwk' }) as never);
      const jwk = { ...pair.privateKey.export({ format: 'jwk' }), kid: 'k1' };
      const pem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      for (const privateKey of [pem, jwk, pair.privateKey]) {
        const options = {
          clientId: 'signer',
          issuer: server.issuer,
          privateKey: privateKey as never,
          keyId: 'k2',
        };
        const { parameters, headers } = await proven(options);
        const [header = ''] = parameters['client_assertion']!.split('.');
        expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ kid: 'k2' });
        expect(parameters['client_assertion_type']).toBe(
          'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        );
        expect(headers).not.toHaveProperty('authorization');
      }
    });

    it('by private_key_jwt with a key that cannot be exported, to a token endpoint of an unknown issuer', async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      server.clientKeys.set('signer', await exportJWK(publicKey));
      const { parameters } = await proven({
        clientId: 'signer',
        tokenUrl: `${server.issuer}/token`,
        privateKey,
      });
      const [, payload = ''] = parameters['client_assertion']!.split('.');
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
        aud: `${server.issuer}/token`,
      });
    });
  });
});

describe.each(CLIENT_BINDINGS)('a token that is refused over %s', (binding) => {
  it('is renewed once for 50 calls, each repeated once', async () => {
    const client = clientOf(agent.base, binding, { credentials: { oauth: credential() } });
    await client.getTask({ id: 't1' });
    agent.refused.add(server.issued[0]!);
    agent.requests.length = 0;
    await Promise.all(Array.from({ length: 50 }, () => client.getTask({ id: 't1' })));
    expect(server.issued).toHaveLength(2);
    expect(
      agent.calls.filter(({ headers }) => headers.authorization?.endsWith(server.issued[0]!)),
    ).toHaveLength(50);
    expect(
      agent.calls.filter(({ headers }) => headers.authorization?.endsWith(server.issued[1]!)),
    ).toHaveLength(50);
    await client.close();
  });

  it('is refused for good the second time', async () => {
    const client = clientOf(agent.base, binding, { credentials: { oauth: credential() } });
    await client.card();
    agent.instead = (_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    await expect(client.getTask({ id: 't1' })).rejects.toThrow(UnauthenticatedError);
    expect(agent.calls).toHaveLength(2);
    expect(server.issued).toHaveLength(2);
    await client.close();
  });

  it('says so, and why, when no other can be had', async () => {
    const client = clientOf(agent.base, binding, { credentials: { oauth: credential() } });
    await client.getTask({ id: 't1' });
    agent.refused.add(server.issued[0]!);
    server.instead.set('/token', (_, response) => json(response, 400, { error: 'invalid_scope' }));
    const failure = client.getTask({ id: 't1' });
    await expect(failure).rejects.toThrow(UnauthenticatedError);
    await expect(failure).rejects.toMatchObject({
      cause: { name: 'TokenRequestError', code: 'invalid_scope' },
    });
    await client.close();
  });

  it('is renewed before a stream that begins after it has expired', async () => {
    server.expiresIn = 0;
    const client = clientOf(agent.base, binding, { credentials: { oauth: credential() } });
    await client.getTask({ id: 't1' });
    agent.refused.add(server.issued[0]!);
    for await (const { task } of client.subscribeToTask({ id: 't1' })) expect(task?.id).toBe('t1');
    expect(agent.calls).toHaveLength(2);
    expect(server.issued).toHaveLength(2);
    await client.close();
  });
});

describe('an authorization server that', () => {
  const failure = async (options: Partial<OAuthOptions> = {}) => {
    const client = clientWith(credential(options));
    const error: unknown = await client.getTask({ id: 't1' }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    await client.close();
    expect(agent.calls).toEqual([]);
    return error as TokenRequestError;
  };
  const SECRET_ANSWER = {
    access_token: 's3cr3t-token',
    refresh_token: 's3cr3t-refresh',
    token_type: 'Bearer',
  };
  for (const token of [SECRET_ANSWER.access_token, SECRET_ANSWER.refresh_token])
    allowPlainSecret('answer', token, 'an authorization server answers tokens');
  allowPlainSecret('answer', CLIENT.clientSecret, 'this one answers what it was sent, too');
  const answering = (status: number, body: unknown) =>
    server.instead.set('/token', (_, response) => json(response, status, body));

  it('does not know the client says so', async () => {
    const error = await failure({ clientSecret: 's3cr3t-wrong' });
    expect(error).toBeInstanceOf(TokenRequestError);
    expect(error).toMatchObject({ code: 'invalid_client', status: 401 });
    expect(error.message).toBe(`${server.issuer} refused to issue tokens: invalid_client`);
  });

  it.each([
    ['no token type', 200, { ...SECRET_ANSWER, token_type: undefined }],
    ['tokens of another kind', 200, { ...SECRET_ANSWER, token_type: 'DPoP' }],
    ['tokens of an unknown kind', 200, { ...SECRET_ANSWER, token_type: 'mac' }],
    ['no token', 200, { ...SECRET_ANSWER, access_token: '' }],
    ['a wrong lifetime', 200, { ...SECRET_ANSWER, expires_in: 'soon' }],
    ['a secret as a code', 400, { error: 's3cr3t-token s3cr3t-refresh', error_description: 's3cr3t-token' }],
    ['an error with a description', 400, { error: 'invalid_scope', error_description: CLIENT.clientSecret }],
    ['an outage', 503, SECRET_ANSWER],
    ['an array', 200, [SECRET_ANSWER]],
  ])('answers %s shows nothing of it', async (_, status, body) => {
    answering(status, body);
    const error = await failure();
    expect(error).toBeInstanceOf(TokenRequestError);
    const shown = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error) + error.stack;
    expect(shown).not.toMatch(/s3cr3t-|client-secret/);
  });

  it('answers too much is not listened to', async () => {
    answering(200, { ...SECRET_ANSWER, padding: 'x'.repeat(300_000) });
    expect((await failure()).message).toContain('larger than 262144 bytes');
  });

  it('redirects is not followed', async () => {
    const stranger = await AuthorizationServer.start();
    server.instead.set('/token', (_, response) => {
      response.writeHead(307, { location: `${stranger.issuer}/token` }).end();
    });
    expect(await failure()).toBeInstanceOf(TokenRequestError);
    expect(stranger.requests).toEqual([]);
    await stranger[Symbol.asyncDispose]();
  });

  it('is gone says so', async () => {
    const gone = await AuthorizationServer.start();
    const { issuer } = gone;
    await gone[Symbol.asyncDispose]();
    expect((await failure({ issuer })).message).toMatch(
      `${issuer} could not be asked for tokens: No connection to`,
    );
  });

  it('issues an ID token of anybody besides is not asked about it', async () => {
    server.instead.set('/token', async (_, response) => {
      const access_token = await server.token('use');
      server.issued.push(access_token);
      json(response, 200, { access_token, token_type: 'bearer', id_token: 'not.a.token' });
    });
    const client = clientWith(credential({ tokenUrl: `${server.issuer}/token` }));
    expect(await client.getTask({ id: 't1' })).toMatchObject({ id: 't1' });
    await client.close();
  });
});

describe('the options of client credentials', () => {
  const base = { clientId: 'a', clientSecret: 'b' };
  it.each<[string, Partial<OAuthOptions>]>([
    ['have a clientId', { clientId: '' }],
    ['have no empty secret', { clientSecret: '' }],
    ['have a secret or a key', { clientSecret: undefined as never }],
    ['have not both', { privateKey: 'x' }],
    ['name an issuer with https', { issuer: 'http://id.example' }],
    ['name a token endpoint with https', { tokenUrl: 'http://10.0.0.1/token' }],
    ['name origins', { allowOrigins: ['https://id.example/path'] }],
    ['name origins with https', { allowOrigins: ['http://id.example'] }],
    ['name origins of the agent', { origins: ['x'] }],
  ])('%s', (_, options) => {
    expect(() => clientCredentials({ ...base, ...options })).toThrow(TypeError);
  });

  it('are not shown', () => {
    const shown = inspect(clientCredentials({ ...base, clientSecret: 's3cr3t-of-a-client' }), {
      depth: 9,
      showHidden: true,
    });
    expect(shown).not.toContain('s3cr3t-of-a-client');
  });
});
