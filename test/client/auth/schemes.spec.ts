import type { AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  A2AModule,
  apiKey,
  getText,
  httpBasic,
  httpBearer,
  mutualTls,
  oauth2,
  openIdConnect,
  PermissionDeniedError,
  safeEqual,
  UnauthenticatedError,
  type GuardedScheme,
  type StreamResponse,
  type Task,
} from 'nest-a2a';
import {
  apiKeyCredential,
  basicAuth,
  bearer,
  clientCredentials,
  createA2AClient,
  deviceCode,
  MissingCredentialsError,
  type A2AClient,
  type A2AClientOptions,
  type Credential,
} from 'nest-a2a/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORMS, serveApp, type ServedApp } from '../../conformance/support/app.js';
import { hmac, SECRET } from '../../guards/support/all-schemes.js';
import { pem } from '../../guards/support/certificates.js';
import { CLIENT_BINDINGS, clientOf, text } from '../clients.js';
import { AuthorizationServer, CLIENT } from './support/authorization-server.js';
import { SCOPE, Vault } from './support/vault.agent.js';

const ANN = { id: 'ann', scopes: [SCOPE] };
const key = (location: 'header' | 'query' | 'cookie') =>
  apiKey({ in: location, name: 'vault-key', validate: (given) => safeEqual(given, 'key-of-ann') && ANN });

let server: AuthorizationServer;
beforeAll(async () => {
  server = await AuthorizationServer.start();
  server.subject = 'ann';
});
afterAll(() => server[Symbol.asyncDispose]());

/** Schemes of our guards, and the credentials for them. */
function schemes(): Record<string, { scheme: GuardedScheme; good: Credential; wrong?: Credential }> {
  const { issuer } = server;
  const checks = { issuer, audience: 'vault', jwks: `${issuer}/jwks` };
  const scopes = { [SCOPE]: 'Use the vault' };
  return {
    bearer: {
      scheme: httpBearer({ secret: SECRET, issuer: 'tests', audience: 'vault' }),
      good: bearer(() => hmac({ sub: 'ann', scope: SCOPE })),
      wrong: bearer('wrong'),
    },
    basic: {
      scheme: httpBasic({
        validate: (name, password) => safeEqual(password, 's3cr3t-ö') && { ...ANN, id: name },
      }),
      good: basicAuth('ann', 's3cr3t-ö'),
      wrong: basicAuth('ann', 'wrong'),
    },
    header: { scheme: key('header'), good: apiKeyCredential('key-of-ann'), wrong: apiKeyCredential('wrong') },
    query: { scheme: key('query'), good: apiKeyCredential('key-of-ann'), wrong: apiKeyCredential('wrong') },
    cookie: { scheme: key('cookie'), good: apiKeyCredential('key-of-ann'), wrong: apiKeyCredential('wrong') },
    oauth: {
      scheme: oauth2({ ...checks, flows: { clientCredentials: { tokenUrl: `${issuer}/token`, scopes } } }),
      good: clientCredentials({ ...CLIENT, issuer }),
      wrong: bearer('wrong'),
    },
    device: {
      scheme: oauth2({
        ...checks,
        flows: {
          deviceCode: { deviceAuthorizationUrl: `${issuer}/device`, tokenUrl: `${issuer}/token`, scopes },
        },
      }),
      good: deviceCode({
        clientId: 'public',
        allowOrigins: [issuer],
        prompt: () => server.decide('allowed'),
      }),
      wrong: bearer('wrong'),
    },
    oidc: {
      scheme: openIdConnect({ url: `${issuer}/.well-known/openid-configuration`, audience: 'vault' }),
      good: clientCredentials({ ...CLIENT, allowOrigins: [issuer] }),
      wrong: bearer('wrong'),
    },
  };
}

const NAMES = ['bearer', 'basic', 'header', 'query', 'cookie', 'oauth', 'device', 'oidc'] as const;

/** Everything that opens an exchange, in one story. */
async function callAll(client: A2AClient): Promise<void> {
  const { task } = await client.sendMessage(text('open'));
  expect(getText(task!.artifacts![0]!)).toBe('ann');
  const events: StreamResponse[] = [];
  for await (const event of client.sendStreamingMessage(text('open'))) events.push(event);
  expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await client.getTask({ id: task!.id })).toMatchObject({ id: task!.id });
  expect((await client.listTasks()).tasks.length).toBeGreaterThan(0);
  expect(await client.getExtendedAgentCard()).toMatchObject({ name: 'Vault' });
  const { task: parked } = await client.sendMessage(text('park'));
  for await (const { task: opening } of client.subscribeToTask({ id: parked!.id })) {
    expect(opening?.id).toBe(parked!.id);
    break;
  }
  const canceled: Task = await client.cancelTask({ id: parked!.id });
  expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
}

describe.each(PLATFORMS)('the guards of %s and the credentials of', (platform) => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveApp(platform, {
      agents: Object.entries(schemes()).map(([name, { scheme }]) => ({
        agent: Vault,
        id: name,
        path: name,
        extendedCard: (_, card) => card,
        options: {
          securitySchemes: { [name]: scheme },
          securityRequirements: [{ schemes: { [name]: { list: [SCOPE] } } }],
        },
      })),
    });
  });
  afterAll(() => served?.close());

  describe.each(NAMES)('%s', (name) => {
    it.each(CLIENT_BINDINGS)('suit each other over %s', async (binding) => {
      const { good, wrong } = schemes()[name]!;
      const clientWith = (credential?: Credential): A2AClient => {
        const credentials: A2AClientOptions['credentials'] = credential ? { [name]: credential } : {};
        return clientOf(`${served.base}/${name}`, binding, { credentials });
      };
      const knows = clientWith(good);
      const errs = clientWith(wrong);
      const hasNone = clientWith();
      await callAll(knows);
      await expect(errs.listTasks()).rejects.toThrow(UnauthenticatedError);
      await expect(hasNone.listTasks()).rejects.toThrow(MissingCredentialsError);
      await Promise.all([knows, errs, hasNone].map((client) => client.close()));
    });
  });

  it('an unknown scope is a 403, for which no tokens are renewed', async () => {
    server.granted = 'less';
    const credentials = { oauth: clientCredentials({ ...CLIENT, issuer: server.issuer }) };
    const before = server.tokenRequests.length;
    const client = createA2AClient(`${served.base}/oauth`, { credentials });
    await expect(client.listTasks()).rejects.toThrow(PermissionDeniedError);
    server.granted = undefined;
    expect(server.tokenRequests).toHaveLength(before + 1);
    await client.close();
  });
});

describe('client certificates', () => {
  let base: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    @Module({
      imports: [
        A2AModule.forRoot(),
        A2AModule.forFeature([
          {
            agent: Vault,
            path: 'vault',
            extendedCard: (_, card) => card,
            options: {
              securitySchemes: {
                mtls: mutualTls({
                  validate: ({ subject }) => ({ ...ANN, id: /^CN=(.+)$/m.exec(subject)?.[1] }),
                }),
              },
              securityRequirements: [{ schemes: { mtls: { list: [SCOPE] } } }],
            },
          },
        ]),
      ],
      providers: [Vault],
    })
    class SecureModule {}
    const https = {
      key: pem('server.key'),
      cert: pem('server'),
      ca: pem('ca'),
      requestCert: true,
      rejectUnauthorized: false,
    };
    const app = await NestFactory.create(SecureModule, new FastifyAdapter({ https } as never), {
      logger: false,
      abortOnError: false,
    });
    await app.listen(0, '127.0.0.1');
    base = `https://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/vault`;
    close = () => app.close();
  });
  afterAll(() => close?.());

  it.each(CLIENT_BINDINGS)('open the vault over %s', async (binding) => {
    const tls = { ca: pem('ca'), cert: pem('ann'), key: pem('ann.key') };
    const client = clientOf(base, binding, { tls, credentials: {} });
    await callAll(client);
    await client.close();
    const stranger = clientOf(base, binding, { tls: { ca: pem('ca') } });
    await expect(stranger.listTasks()).rejects.toThrow(UnauthenticatedError);
    await stranger.close();
    const without = clientOf(base, binding, { tls: { ca: pem('ca') }, credentials: {} });
    await expect(without.listTasks()).rejects.toThrow('mtls: tls has no certificate');
    await without.close();
  });
});
