import {
  Body,
  Controller,
  Get,
  Injectable,
  Post,
  Req,
  SetMetadata,
  VersioningType,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, Reflector, RouterModule } from '@nestjs/core';
import { A2AModule, A2AWebhookModule, AgentExecutor, RequestContext, Skill } from 'nest-a2a';
import { describe, expect, it } from 'vitest';
import { PLATFORMS, serve, type ServeOptions } from '../docs/serve.js';
import { Inbox, notify, reasonOf, receiver, statusUpdate, TOKEN } from './harness.js';

@Controller('host')
class HostController {
  @Get()
  get() {
    return { ok: true };
  }

  @Post('echo')
  echo(@Body() body: unknown) {
    return { body: body ?? null };
  }

  @Post('raw')
  raw(@Req() { rawBody }: { rawBody?: Buffer }) {
    return { raw: rawBody?.toString() ?? null };
  }
}

@AgentExecutor({ name: 'Echo', description: 'Repeats', version: '1.0.0' })
class EchoAgent {
  @Skill({ id: 'echo', name: 'Echo', description: 'Repeats', tags: ['echo'] })
  echo({ userInput }: RequestContext) {
    return userInput;
  }
}

const prefixed = (app: INestApplication) => app.setGlobalPrefix('api');
const versioned = (app: INestApplication) =>
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
const excluded = (app: INestApplication) => app.setGlobalPrefix('api', { exclude: ['hooks/a2a'] });

const HOSTS: [how: string, options: ServeOptions, path: string][] = [
  ['as it comes', {}, '/hooks/a2a'],
  ['that parses no bodies', { bodyParser: false }, '/hooks/a2a'],
  ['that keeps raw bodies', { rawBody: true }, '/hooks/a2a'],
  ['with a global prefix', { configure: prefixed }, '/api/hooks/a2a'],
  ['with a prefix that it is excluded from', { configure: excluded }, '/hooks/a2a'],
  ['with versions', { configure: versioned }, '/hooks/a2a'],
];

describe.each(PLATFORMS)('a webhook in an application on %s', (platform) => {
  it.each(HOSTS)('works in one %s', async (_how, options, path) => {
    const module = receiver({ token: TOKEN, path: '/hooks/a2a/' }, { controllers: [HostController] });
    await using served = await serve(platform, module, options);
    // More than the parsers of the host would take.
    const big = statusUpdate();
    const event = { statusUpdate: { ...big.statusUpdate, metadata: { text: 'x'.repeat(2_000_000) } } };
    expect((await notify(served.base, event, {}, path)).status).toBe(204);
    expect(served.app.get(Inbox).arrived[0]?.event).toEqual(event);
    const refused = await notify(served.base, event, { 'content-type': 'text/plain' }, path);
    expect([refused.status, reasonOf(refused)]).toEqual([415, 'CONTENT_TYPE_NOT_SUPPORTED']);
  });

  it('leaves the host its own parsers', async () => {
    const module = receiver(undefined, { controllers: [HostController] });
    await using served = await serve(platform, module, { rawBody: true });
    const json = { 'content-type': 'application/json' };
    expect((await notify(served.base, '{ "a":1 }', json, '/host/echo')).body).toEqual({ body: { a: 1 } });
    expect((await notify(served.base, '{ "a":1 }', json, '/host/raw')).body).toEqual({ raw: '{ "a":1 }' });
  });

  it('stands beside agents, and beside another webhook', async () => {
    const module = receiver(
      { token: TOKEN },
      {
        imports: [
          A2AModule.forRoot(),
          A2AModule.forFeature([EchoAgent]),
          A2AWebhookModule.forRoot({ token: 'another', path: 'other' }),
        ],
        providers: [EchoAgent],
      },
    );
    await using served = await serve(platform, module);
    expect((await notify(served.base)).status).toBe(204);
    expect((await notify(served.base, statusUpdate(), {}, '/other')).status).toBe(401);
    const headers = { 'x-a2a-notification-token': 'another' };
    expect((await notify(served.base, statusUpdate(), headers, '/other')).status).toBe(204);
    expect(served.app.get(Inbox).ids).toEqual(['n1', 'n1']);
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
    const answer = await notify(served.base, { message }, {}, '/a2a/rest/message:send');
    expect(answer.status).toBe(200);
  });

  it('has the path that RouterModule gives its module', async () => {
    const module = receiver(undefined, {
      imports: [RouterModule.register([{ path: 'inner', module: A2AWebhookModule }])],
    });
    await using served = await serve(platform, module, { configure: prefixed });
    const answer = await notify(served.base, statusUpdate(), {}, '/api/inner/a2a/notifications');
    expect(answer.status).toBe(204);
  });

  it('is behind the guards of the host, unless a decorator exempts it; its errors keep their shape', async () => {
    @Injectable()
    class HostGuard implements CanActivate {
      constructor(private readonly reflector: Reflector) {}

      canActivate(context: ExecutionContext): boolean {
        return this.reflector.get('public', context.getClass()) === true;
      }
    }
    class Swallow {
      catch() {
        throw new Error('the filter of the host saw an error of the webhook');
      }
    }
    const providers = [
      { provide: APP_GUARD, useClass: HostGuard },
      { provide: APP_FILTER, useClass: Swallow },
    ];
    await using guarded = await serve(platform, receiver(undefined, { providers }));
    const answer = await notify(guarded.base);
    expect([answer.status, reasonOf(answer)]).toEqual([403, 'PERMISSION_DENIED']);
    const decorators = [SetMetadata('public', true) as ClassDecorator];
    await using open = await serve(platform, receiver({ token: TOKEN, decorators }, { providers }));
    expect((await notify(open.base)).status).toBe(204);
    expect((await notify(open.base, 'x')).status).toBe(400);
  });
});
