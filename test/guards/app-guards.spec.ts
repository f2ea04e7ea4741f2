import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Module,
  Req,
  Scope,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD, NestFactory, REQUEST } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import {
  A2AAudit,
  A2AModule,
  A2ASchemeGuard,
  AgentExecutor,
  apiKey,
  type AuditEvent,
  type RequestContext,
  Skill,
} from 'nest-a2a';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { afterEach, describe, expect, it } from 'vitest';
import { PLATFORMS, serveApp, type ServedApp } from '../conformance/support/app.js';
import { BINDINGS } from '../conformance/support/peer.js';
import { createAdapter } from '../fixtures/serve.js';
import { hmac, SECRET, tampered, unsigned } from './support/all-schemes.js';

const AGENT = { name: 'Desk', description: 'Tells who calls', version: '1' };
const BEARER = { httpAuthSecurityScheme: { scheme: 'Bearer' } };
const SKILL = { id: 'who', name: 'Who', description: 'Tells who calls', tags: ['test'] };

let served: Pick<ServedApp, 'close'> | undefined;
afterEach(() => served?.close());

/** What an application with Passport has. */
@Injectable()
class JwtStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKey: SECRET,
      algorithms: ['HS256'],
      issuer: 'tests',
      audience: 'vault',
    });
  }

  validate({ sub, scope }: { sub: string; scope: string }) {
    return { id: sub, scopes: scope.split(' '), passwordHash: 'x' };
  }
}

@Skill(SKILL)
@AgentExecutor({
  ...AGENT,
  securitySchemes: { jwt: { scheme: BEARER, guard: AuthGuard('jwt') } },
  securityRequirements: [{ schemes: { jwt: { list: ['use'] } } }],
})
class PassportAgent {
  async execute({ updater, call }: RequestContext): Promise<void> {
    await updater.complete(JSON.stringify(call.user));
  }
}

@Injectable()
class Names {
  readonly known = ['ann'];
}

/** Needs a service of the agent's module, and the request. */
@Injectable({ scope: Scope.REQUEST })
class ScopedGuard implements CanActivate {
  constructor(
    private readonly names: Names,
    @Inject(REQUEST) private readonly request: { headers: Record<string, string> },
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const id = this.request.headers['x-name'] ?? '';
    context.switchToHttp().getRequest<{ user?: unknown }>().user = { id };
    return this.names.known.includes(id);
  }
}

@AgentExecutor({
  ...AGENT,
  securitySchemes: {
    name: { scheme: { apiKeySecurityScheme: { location: 'header', name: 'x-name' } }, guard: ScopedGuard },
  },
  securityRequirements: [{ schemes: { name: {} } }],
})
class ScopedAgent extends PassportAgent {}

describe.each(PLATFORMS)("the application's own guards, on %s", (platform) => {
  it.each(BINDINGS)('Passport serves a scheme over %s', async (binding) => {
    const app = await serveApp(platform, { agents: [PassportAgent], providers: [JwtStrategy] });
    served = app;
    const peer = app.peer(binding);
    const bearer = (token: string) => peer.with({ authorization: `Bearer ${token}` });
    const token = await hmac({ sub: 'ann', scope: 'use' });
    const { status } = await bearer(token).send('who');
    expect(JSON.parse(status.message?.parts[0]?.text ?? '')).toEqual({ id: 'ann', scopes: ['use'] });
    const missing = await peer.refused('SendStreamingMessage');
    expect(missing.httpStatus).toBe(401);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="a2a"');
    for (const wrong of [tampered(await hmac({ sub: 'low', scope: '' })), unsigned({ sub: 'ann' }), 'x']) {
      const refusal = await bearer(wrong).refused('ListTasks');
      expect(refusal.httpStatus).toBe(401);
      expect(refusal.headers.get('www-authenticate')).toBe('Bearer realm="a2a", error="invalid_token"');
    }
    expect((await bearer(await hmac({ sub: 'low', scope: '' })).refused('ListTasks')).httpStatus).toBe(403);
  });

  it('are made with the services of the module that provides the agent, for each request if they are so scoped', async () => {
    const app = await serveApp(platform, { agents: [ScopedAgent], providers: [Names, ScopedGuard] });
    served = app;
    const as = (name: string) => app.peer().with({ 'x-name': name });
    const answers = await Promise.all(['ann', 'eve', 'ann', 'eve'].map((name) => as(name).call('ListTasks')));
    expect(answers.map(({ httpStatus }) => httpStatus)).toEqual([200, 401, 200, 401]);
  });

  it('that cannot be made keep the application from starting', async () => {
    @Injectable()
    class Needy implements CanActivate {
      constructor(@Inject('NOWHERE') readonly nothing: unknown) {}
      canActivate(): boolean {
        return true;
      }
    }
    const options = { securitySchemes: { own: { scheme: BEARER, guard: Needy } }, securityRequirements: [] };
    await expect(serveApp(platform, { agents: [{ agent: PassportAgent, options }] })).rejects.toThrow(
      /Needy/,
    );
  });

  it('are in the audit, too', async () => {
    const events: AuditEvent[] = [];
    class Audit extends A2AAudit {
      override record(event: AuditEvent): void {
        events.push(event);
        throw new Error('an audit that fails changes nothing');
      }
    }
    @Injectable()
    class NoGuard implements CanActivate {
      canActivate(): boolean {
        return false;
      }
    }
    @UseGuards(NoGuard)
    @AgentExecutor(AGENT)
    class Closed extends PassportAgent {}
    const app = await serveApp(platform, { agents: [Closed], options: { audit: new Audit() } });
    served = app;
    expect((await app.peer().refused('ListTasks')).httpStatus).toBe(403);
    expect(events).toEqual([
      { kind: 'denied', reason: 'guard', agent: 'Closed', operation: 'ListTasks', binding: 'JSONRPC' },
    ]);
  });

  it.each(BINDINGS)('@nestjs/throttler counts calls over %s', async (binding) => {
    @Module({ imports: [ThrottlerModule.forRoot([{ ttl: 60_000, limit: 2 }])], exports: [ThrottlerModule] })
    class Throttling {}
    @Module({
      imports: [
        Throttling,
        A2AModule.forRoot(),
        A2AModule.forFeature([
          { agent: PassportAgent, options: { securitySchemes: {}, securityRequirements: [] } },
        ]),
      ],
      providers: [PassportAgent, { provide: APP_GUARD, useClass: ThrottlerGuard }],
    })
    class AppModule {}
    const app = await NestFactory.create(AppModule, createAdapter(platform), { logger: false });
    served = app;
    await app.listen(0, '127.0.0.1');
    const { Peer } = await import('../conformance/support/peer.js');
    const peer = new Peer(`${await app.getUrl()}/a2a`, binding);
    for (let i = 0; i < 2; i++) await peer.ok('ListTasks');
    const refusal = await peer.refused('SendStreamingMessage');
    expect(refusal).toMatchObject({ httpStatus: 429, reason: 'RESOURCE_EXHAUSTED' });
    expect(refusal.headers.get('retry-after')).toBeTruthy();
  });
});

@Controller()
class HostController {
  @UseGuards(A2ASchemeGuard('key', { scopes: ['reports'] }))
  @Get('reports')
  reports(@Req() request: { user: unknown }) {
    return { user: request.user };
  }
}

const validate = (text: string) =>
  text === 'wrong' ? null : { id: text, scopes: text === 'ann' ? ['reports'] : [] };

describe.each(PLATFORMS)('A2ASchemeGuard, on %s', (platform) => {
  const options = { securitySchemes: { key: apiKey({ in: 'header', name: 'x-key', validate }) } };

  async function start(agents: Parameters<typeof A2AModule.forFeature>[0]): Promise<string> {
    @Module({
      imports: [A2AModule.forRoot(), A2AModule.forFeature(agents)],
      controllers: [HostController],
      providers: [PassportAgent, JwtStrategy],
    })
    class AppModule {}
    const app = await NestFactory.create(AppModule, createAdapter(platform), {
      logger: false,
      abortOnError: false,
    });
    served = app;
    await app.listen(0, '127.0.0.1');
    return app.getUrl();
  }

  it("guards a route of the host with the card's scheme and user", async () => {
    const base = await start([{ agent: PassportAgent, options: { ...options, securityRequirements: [] } }]);
    const get = (key?: string) => fetch(`${base}/reports`, { headers: key ? { 'x-key': key } : {} });
    const ann = await get('ann');
    expect(ann.status).toBe(200);
    expect(await ann.json()).toEqual({ user: { id: 'ann', scopes: ['reports'] } });
    expect((await get('bob')).status).toBe(403);
    for (const key of [undefined, 'wrong']) {
      const refused = await get(key);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toMatch(/^ApiKey realm="a2a"/);
    }
  });

  it('keeps the application from starting when it is not clear which scheme it means', async () => {
    await expect(start([PassportAgent])).rejects.toThrow(/names no scheme with a guard/);
    const two = ['a', 'b'].map((id) => ({
      agent: PassportAgent,
      id,
      path: id,
      options: { ...options, securityRequirements: [] },
    }));
    await expect(start(two)).rejects.toThrow(/a or b: say which/);
    served = undefined;
  });
});
