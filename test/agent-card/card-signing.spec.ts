import { generateKeyPairSync } from 'node:crypto';
import {
  Injectable,
  Logger,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifyAgentCard } from '../../lib/agent-card/verify-agent-card.js';
import { A2ABootError } from '../../lib/a2a.boot-error.js';
import * as messages from '../../lib/a2a.messages.js';
import { A2AModule } from '../../lib/a2a.module.js';
import type { AgentFeature } from '../../lib/interfaces/agent-options.js';
import { AgentCardSigner } from '../../lib/interfaces/card-signing.js';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import type { AgentCard } from '../../lib/protocol/model.js';
import { OrderAgent, silence } from '../module/fixtures.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const old = generateKeyPairSync('ed25519');
const KEYS = [
  { kid: 'now', alg: 'ES256', privateKey },
  {
    kid: 'before',
    alg: 'EdDSA',
    privateKey: old.privateKey.export({ format: 'jwk' }) as Record<string, unknown>,
  },
];
const OPTIONS: A2AModuleOptions = { publicUrl: 'https://api.example.com/x', signing: { keys: KEYS } };
const JWKS = '/.well-known/a2a-jwks.json';

@Injectable()
class AuthGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; user?: object }>();
    request.user = { id: request.headers['x-user'] ?? 'nobody' };
    return true;
  }
}

function moduleOf(options: A2AModuleOptions, feature: Omit<AgentFeature, 'agent'> = {}) {
  return Test.createTestingModule({
    imports: [A2AModule.forRoot(options), A2AModule.forFeature([{ agent: OrderAgent, ...feature }])],
    providers: [OrderAgent, { provide: APP_GUARD, useClass: AuthGuard }],
  });
}

describe.each([
  ['Fastify', () => new FastifyAdapter()],
  ['Express', () => new ExpressAdapter()],
])('signed cards on %s', (_platform, adapter) => {
  let app: INestApplication | undefined;
  let origin = '';

  afterEach(() => app?.close());

  async function start(options = OPTIONS, feature: Omit<AgentFeature, 'agent'> = {}): Promise<void> {
    silence();
    const module = await moduleOf(options, feature).compile();
    app = module.createNestApplication(adapter());
    app.setGlobalPrefix('api');
    await app.listen(0, '127.0.0.1');
    origin = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  }

  const get = async (path: string) => (await fetch(origin + path)).json() as Promise<never>;
  const extended = async (user: string) => {
    const response = await fetch(`${origin}/api/a2a/rest/extendedAgentCard`, {
      headers: { 'a2a-version': '1.0', 'x-user': user },
    });
    expect(response.status).toBe(200);
    return (await response.json()) as AgentCard;
  };

  it('verify with the keys that the JWKS shows, each of them', async () => {
    await start();
    const card: AgentCard = await get('/.well-known/agent-card.json');
    const jwks: { keys: { kid: string }[] } = await get(JWKS);
    expect(jwks.keys.map(({ kid }) => kid)).toEqual(['now', 'before']);
    expect(JSON.stringify(jwks)).not.toContain('"d"');
    for (const key of jwks.keys) {
      await expect(verifyAgentCard(card, { keys: [key] })).resolves.toMatchObject({ verified: true });
    }
    const header = Buffer.from(card.signatures![0]!.protected, 'base64url').toString();
    const jku = `https://api.example.com/x${JWKS}`;
    expect(JSON.parse(header)).toEqual({ alg: 'ES256', typ: 'JOSE', kid: 'now', jku });
  });

  it('are the same bytes each time, with the same tag', async () => {
    await start();
    const [a, b] = [
      await fetch(`${origin}/.well-known/agent-card.json`),
      await fetch(`${origin}/api/a2a/.well-known/agent-card.json`),
    ];
    expect(await a.text()).toBe(await b.text());
    expect(a.headers.get('etag')).toBe(b.headers.get('etag'));
    const again = await fetch(`${origin}${JWKS}`, {
      headers: { 'if-none-match': (await fetch(`${origin}${JWKS}`)).headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  it('hold for extended cards, which differ per caller and are signed once each', async () => {
    const feature = {
      options: { capabilities: { extendedAgentCard: true } },
      extendedCard: ({ user }: { user: { id: string } | null }, card: AgentCard) => ({
        ...card,
        description: `For ${user!.id}`,
        signatures: [{ protected: 'e30', signature: 'bm9uZQ' }],
      }),
    };
    await start(OPTIONS, feature as Omit<AgentFeature, 'agent'>);
    const keys = await get(JWKS);
    const [ann, bob] = [await extended('ann'), await extended('bob')];
    expect([ann.description, bob.description]).toEqual(['For ann', 'For bob']);
    for (const card of [ann, bob]) {
      expect(card.signatures).toHaveLength(2);
      await expect(verifyAgentCard(card, { keys })).resolves.toMatchObject({ verified: true });
    }
    // ECDSA is randomised: the same signature was made once.
    expect((await extended('ann')).signatures).toEqual(ann.signatures);
    expect(ann.signatures).not.toEqual(bob.signatures);
  });

  it('have the jku, and the path of the keys, that the options name', async () => {
    await start({ ...OPTIONS, signing: { keys: KEYS, jku: false, jwksPath: '/keys.json' } });
    const card: AgentCard = await get('/.well-known/agent-card.json');
    expect(Buffer.from(card.signatures![0]!.protected, 'base64url').toString()).not.toContain('jku');
    await expect(verifyAgentCard(card, { keys: await get('/keys.json') })).resolves.toMatchObject({
      verified: true,
    });
  });

  it('are not there without the option', async () => {
    await start({ publicUrl: 'https://api.example.com' });
    expect(await get('/.well-known/agent-card.json')).not.toHaveProperty('signatures');
    expect((await fetch(origin + JWKS)).status).toBe(404);
  });
});

describe('AgentCardSigner', () => {
  it('signs for the application too, and can be replaced', async () => {
    silence();
    const app = (await moduleOf(OPTIONS).compile()).createNestApplication();
    await app.init();
    const card = await app.get(AgentCardSigner).sign({ name: 'Mine' } as AgentCard);
    const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'now' }];
    await expect(verifyAgentCard(card, { keys })).resolves.toMatchObject({ verified: true });
    await app.close();
  });
});

describe('at boot', () => {
  async function problemsOf(options: A2AModuleOptions): Promise<readonly string[]> {
    silence();
    const app = (await moduleOf(options).compile()).createNestApplication();
    const error = await app.init().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(A2ABootError);
    return (error as A2ABootError).problems;
  }

  it('signing needs publicUrl', async () => {
    expect(await problemsOf({ signing: { keys: KEYS } })).toEqual([messages.SIGNING_WITHOUT_PUBLIC_URL]);
  });

  it.each<[string, object, RegExp]>([
    ['no keys', { keys: [] }, /signing\.keys is empty/],
    ['no kid', { keys: [{ ...KEYS[0], kid: '' }] }, /has no kid/],
    ['one kid twice', { keys: [KEYS[0], KEYS[0]] }, /two keys with the kid "now"/],
    ['alg none', { keys: [{ ...KEYS[0], alg: 'none' }] }, /use one of ES256/],
    ['a shared secret', { keys: [{ ...KEYS[0], alg: 'HS256' }] }, /use one of ES256/],
    ['another curve', { keys: [{ ...KEYS[0], alg: 'ES384' }] }, /cannot sign with ES384/],
    ['a public key', { keys: [{ ...KEYS[0], privateKey: publicKey }] }, /is a public key/],
    [
      'a public JWK',
      { keys: [{ ...KEYS[0], privateKey: publicKey.export({ format: 'jwk' }) }] },
      /cannot be read/,
    ],
    ['no key at all', { keys: [{ ...KEYS[0], privateKey: 's3cr3t-key' }] }, /cannot be read/],
    [
      'a weak RSA key',
      {
        keys: [
          {
            kid: 'r',
            alg: 'RS256',
            privateKey: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
          },
        ],
      },
      /below 2048 bits/,
    ],
    ['a path without a slash', { keys: KEYS, jwksPath: 'keys' }, /signing\.jwksPath "keys"/],
  ])('%s is refused', async (_name, signing, text) => {
    const [problem, ...more] = await problemsOf({
      publicUrl: 'https://a.example',
      signing: signing as never,
    });
    expect(problem).toMatch(text);
    expect(problem).not.toContain('s3cr3t-');
    expect(more).toEqual([]);
  });

  it('a card whose signature the official SDKs would refuse is a warning', async () => {
    silence();
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const feature = { options: { defaultOutputModes: [] } };
    const warned = async (options: A2AModuleOptions) => {
      warn.mockClear();
      const app = (await moduleOf(options, feature).compile()).createNestApplication();
      await app.init();
      await app.close();
      return warn.mock.calls.map(([text]) => text);
    };
    expect(await warned(OPTIONS)).toContain(messages.SDKS_REFUSE_SIGNATURE('Order desk'));
    expect(await warned({ ...OPTIONS, signing: { keys: KEYS, forSdks: true } })).not.toContain(
      messages.SDKS_REFUSE_SIGNATURE('Order desk'),
    );
    warn.mockRestore();
  });
});
