import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { UseFilters, UseInterceptors, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import { a2aCall, AgentExecutor, getText, Skill, status } from 'nest-a2a';
import { finalize, map } from 'rxjs';
import { PassportStrategy } from '@nestjs/passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hmac, SECRET } from '../guards/support/all-schemes.js';
import { IdentityProvider } from '../guards/support/identity-provider.js';
import { M } from '../support/message.js';
import { rest } from '../support/rest.js';
import { rpc, rpcStream } from '../support/rpc.js';
import { readEvents } from '../support/sse.js';
import { agentModule } from './agent-module.js';
import { PLATFORMS, serve } from './serve.js';
import { exportsOf } from './snippets.js';

const AGENT = { name: 'Test', description: 'Does what the guide says', version: '1.0.0' };
const SKILL = { id: 'do', name: 'Do', description: 'Does it', tags: ['test'] };
const as = (name: string) => ({ authorization: `Bearer ${name}` });
const refund = { message: { metadata: { skillId: 'refund' } } };
const global = (useClass: Type) => ({ providers: [{ provide: APP_GUARD, useClass }] });

@AgentExecutor(AGENT)
class EchoAgent {
  @Skill(SKILL)
  echo() {
    return 'echo';
  }
}

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  vi.stubEnv('ACCOUNTS_KEY', 'the key');
  vi.stubEnv('ACCOUNTS_JWKS', `${provider.issuer}/jwks`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await provider.stop();
});

describe.each(PLATFORMS)('the guide to guards, on %s', (platform) => {
  let guide: any;
  beforeAll(async () => {
    guide = await exportsOf('guards');
  });

  it('shows schemes that are guards, and skills that need more and less', async () => {
    await using served = await serve(platform, agentModule([guide.AccountsAgent]));
    const { base } = served;
    const send = async (skillId: string, headers: Record<string, string> = {}) => {
      const answer = await rpc(base, 'SendMessage', M('hi', { message: { metadata: { skillId } } }), headers);
      return answer.status === 200 ? getText(answer.body.result.message) : answer.status;
    };
    const token = async (scope: string) => ({
      authorization: `Bearer ${await provider.token({ sub: 'ann', scope, iss: 'https://id.example.com', aud: 'accounts' })}`,
    });
    const key = { 'x-api-key': 'the key' };
    expect(await send('transfer')).toBe(401);
    expect(await send('transfer', key)).toBe(401);
    expect(await send('transfer', await token('accounts:read'))).toBe(403);
    expect(await send('transfer', await token('accounts:read accounts:transfer'))).toBe('ann moved it');
    expect(await send('transfer', await token('accounts:transfer'))).toBe(403);
    expect(await send('hours')).toBe('From 9 to 5');
    expect((await rpc(base, 'ListTasks', {})).status).toBe(401);
    expect((await rpc(base, 'ListTasks', {}, key)).status).toBe(200);
  });

  it('shows a scheme that Passport guards', async () => {
    @Injectable()
    class JwtStrategy extends PassportStrategy(Strategy) {
      constructor() {
        super({ jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: SECRET });
      }
      validate({ sub }: { sub: string }) {
        return { id: sub };
      }
    }
    const module = agentModule([guide.AdviceAgent], {}, { providers: [JwtStrategy] });
    await using served = await serve(platform, module);
    expect((await rpc(served.base, 'SendMessage', M('hi'))).status).toBe(401);
    const signedIn = { authorization: `Bearer ${await hmac({ sub: 'ann' })}` };
    const { body } = await rpc(served.base, 'SendMessage', M('hi'), signedIn);
    expect(getText(body.result.message)).toBe('Keep it, ann');
  });

  it('shows guards on the class and on a skill', async () => {
    const module = agentModule([guide.RefundsAgent]);
    await using served = await serve(platform, module);
    const { base } = served;
    const unknown = await rpc(base, 'SendStreamingMessage', M('hi'));
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer realm="a2a"');
    expect(unknown.body).toMatchObject({ error: { code: -32000, message: 'Sign in first' } });
    expect(unknown.body.id).not.toBeNull();
    const bob = await rpc(base, 'SendMessage', M('hi'), as('bob'));
    expect(getText(bob.body.result.message)).toBe('Nothing yet, bob');
    expect((await rest(base, 'POST', '/message:send', M('hi', refund), as('bob'))).status).toBe(403);
    expect((await rpc(base, 'SendMessage', M('hi', refund), as('ann'))).body.result).toBeDefined();
    expect((await rest(base, 'GET', '/tasks', undefined, as('bob'))).status).toBe(200);
    expect((await fetch(`${base}/.well-known/agent-card.json`)).status).toBe(200);
  });

  it('shows a guard that counts, and what becomes of 429', async () => {
    await using served = await serve(platform, agentModule([EchoAgent], {}, global(guide.QuotaGuard)));
    const { base } = served;
    for (let i = 0; i < 2; i++) expect((await rpc(base, 'SendMessage', M('hi'))).status).toBe(200);
    expect((await rpc(base, 'ListTasks', {})).status).toBe(200);
    const refused = await rpc(base, 'SendMessage', M('hi'));
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBeTruthy();
    expect(refused.body.error).toMatchObject({ message: 'Too many messages', code: -32000 });
    expect((await rest(base, 'POST', '/message:send', M('hi'))).body.error.status).toBe('RESOURCE_EXHAUSTED');
  });

  it.each([
    [404, 'NOT_FOUND'],
    [405, 'METHOD_NOT_ALLOWED'],
    [408, 'UNAVAILABLE'],
    [409, 'CONFLICT'],
    [422, 'INVALID_PARAMS'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [415, 'CONTENT_TYPE_NOT_SUPPORTED'],
    [503, 'UNAVAILABLE'],
    [504, 'UNAVAILABLE'],
    [500, 'INTERNAL'],
  ])('says what becomes of a guard that throws %i', async (thrown, reason) => {
    @Injectable()
    class ThrowingGuard {
      canActivate(): boolean {
        throw new HttpException('because', thrown);
      }
    }
    await using served = await serve(platform, agentModule([EchoAgent], {}, global(ThrowingGuard)));
    const { body } = await rest(served.base, 'GET', '/tasks');
    expect(body.error.details[0].reason).toBe(reason);
    expect(body.error.message === 'because').toBe(thrown < 500 && thrown !== 408);
  });

  it('says that metadata of the class and a2aCall() are there for global guards', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class RolesGuard {
      constructor(private readonly reflector: Reflector) {}

      canActivate(context: ExecutionContext): boolean {
        const { binding, operation, skill, agent } = a2aCall(context) ?? {};
        const roles = this.reflector.get('roles', context.getClass());
        seen.push([roles, binding, operation, skill?.id, agent?.id]);
        return true;
      }
    }
    @SetMetadata('roles', ['clerk'])
    @AgentExecutor(AGENT)
    class RolesAgent {
      @Skill(SKILL)
      do() {
        return 'done';
      }
    }
    await using served = await serve(platform, agentModule([RolesAgent], {}, global(RolesGuard)));
    await rpc(served.base, 'SendMessage', M('hi'));
    await rpc(served.base, 'SendMessage', {});
    expect(seen).toEqual([
      [['clerk'], 'JSONRPC', 'SendMessage', 'do', 'RolesAgent'],
      [['clerk'], 'JSONRPC', 'SendMessage', undefined, 'RolesAgent'],
    ]);
  });

  it('shows another place for the user, and owners that are shared', async () => {
    @AgentExecutor(AGENT)
    class TaskAgent {
      @Skill(SKILL)
      async *work() {
        yield status('TASK_STATE_WORKING');
      }
    }
    const options = { serverCallContextBuilder: guide.SessionUser, ownerResolver: guide.CompanyOwner };
    @Injectable()
    class SessionGuard {
      canActivate(context: ExecutionContext): boolean {
        const request = context.switchToHttp().getRequest();
        const [id, company] = String(request.headers['x-user']).split('@');
        request.session = { user: { id, company, passwordHash: 'x' } };
        return true;
      }
    }
    await using served = await serve(platform, agentModule([TaskAgent], options, global(SessionGuard)));
    const user = (name: string) => ({ 'x-user': name });
    const { task } = (await rpc(served.base, 'SendMessage', M('hi'), user('ann@acme'))).body.result;
    const seenBy = async (name: string, params: object = {}) =>
      (await rpc(served.base, 'GetTask', { id: task.id, ...params }, user(name))).body;
    expect((await seenBy('bob@acme')).result.id).toBe(task.id);
    expect((await seenBy('eve@evil')).error!.data[0].reason).toBe('TASK_NOT_FOUND');
    expect((await seenBy('ann@acme', { tenant: 't1' })).error!.data[0].reason).toBe('TASK_NOT_FOUND');
  });

  it('says that a tenant in the path and another in the request are refused', async () => {
    await using served = await serve(platform, agentModule([EchoAgent]));
    const send = (tenant: string) => rest(served.base, 'POST', '/t1/message:send', M('hi', { tenant }));
    expect((await send('t1')).status).toBe(200);
    expect((await send('t2')).body.error.details[0].reason).toBe('INVALID_PARAMS');
  });

  it('says what interceptors and filters do', async () => {
    const seen: string[] = [];
    @Injectable()
    class Wrapping {
      intercept(_: ExecutionContext, next: CallHandler) {
        return next.handle().pipe(
          map(() => 'wrapped'),
          finalize(() => seen.push('answered')),
        );
      }
    }
    class Filter {
      catch() {
        seen.push('filter');
      }
    }
    @UseFilters(Filter)
    @UseInterceptors(Wrapping)
    @AgentExecutor(AGENT)
    class StreamingAgent {
      @Skill(SKILL)
      async *work() {
        yield status('TASK_STATE_WORKING');
        await expect.poll(() => seen).toContain('answered');
        yield 'after the interceptor';
      }
    }
    const providers = [
      { provide: APP_INTERCEPTOR, useClass: Wrapping },
      { provide: APP_FILTER, useClass: Filter },
    ];
    await using served = await serve(platform, agentModule([StreamingAgent], {}, { providers }));
    const stream = await readEvents(await rpcStream(served.base, 'SendStreamingMessage', M('hi')));
    expect(stream.at(-1)!.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await rpc(served.base, 'GetTask', { id: 'none' })).body.error!.data[0].reason).toBe(
      'TASK_NOT_FOUND',
    );
    expect(seen).not.toContain('filter');
  });
});
