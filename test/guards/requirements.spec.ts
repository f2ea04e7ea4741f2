import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  AgentExecutor,
  type AgentExecutorOptions,
  apiKey,
  hostGuarded,
  httpBearer,
  PUBLIC_ACCESS,
  type RequestContext,
  Skill,
  SkillRouter,
  type SkillDefinition,
} from 'nest-a2a';
import { afterEach, describe, expect, it } from 'vitest';
import { PLATFORMS, serveApp, type ServedApp } from '../conformance/support/app.js';
import type { Peer } from '../conformance/support/peer.js';

const AGENT = { name: 'Desk', description: 'Tells who calls', version: '1' };
const SKILL = { description: 'Tells who calls', tags: ['test'] };
const BEARER = { httpAuthSecurityScheme: { scheme: 'Bearer' } };

/** Keys and tokens are `NAME` or `NAME:scope,scope`. */
const user = (text: string) => {
  const [id = '', scopes = ''] = text.split(':');
  return id === 'wrong' ? null : { id, scopes: scopes.split(',') };
};
const bearer = () => httpBearer({ validate: user });
const key = () => apiKey({ in: 'header', name: 'x-key', validate: user });
const needs = (...names: string[]) => ({
  schemes: Object.fromEntries(
    names.map((name) => {
      const [scheme = '', scope] = name.split(':');
      return [scheme, scope ? { list: [scope] } : {}];
    }),
  ),
});
const withKey = (value: string) => ({ 'x-key': value });
const withToken = (value: string) => ({ authorization: `Bearer ${value}` });

let served: ServedApp | undefined;
afterEach(() => served?.close());

@Skill({ ...SKILL, id: 'who', name: 'Who' })
@AgentExecutor(AGENT)
class Who {
  async execute({ updater, call }: RequestContext): Promise<void> {
    await updater.complete(JSON.stringify(call.user));
  }
}

async function who(peer: Peer): Promise<unknown> {
  const { status } = await peer.send('who');
  return JSON.parse(status.message?.parts[0]?.text ?? '');
}

describe.each(PLATFORMS)('security requirements, on %s', (platform) => {
  async function serve(options: Partial<AgentExecutorOptions>): Promise<Peer> {
    served = await serveApp(platform, { agents: [{ agent: Who, options }] });
    return served.peer();
  }

  it('are alternatives: one is enough', async () => {
    const peer = await serve({
      securitySchemes: { key: key(), bearer: bearer() },
      securityRequirements: [needs('key'), needs('bearer:read')],
    });
    expect(await who(peer.with(withKey('ann')))).toMatchObject({ id: 'ann' });
    expect(await who(peer.with(withToken('bob:read')))).toEqual({ id: 'bob', scopes: ['read'] });
    expect(await who(peer.with({ ...withKey('wrong'), ...withToken('bob:read') }))).toMatchObject({
      id: 'bob',
    });
    expect(await who(peer.with({ ...withKey('ann'), ...withToken('wrong') }))).toMatchObject({ id: 'ann' });
    const { httpStatus, headers } = await peer.refused('ListTasks');
    expect(httpStatus).toBe(401);
    expect(headers.get('www-authenticate')).toBe(
      'ApiKey realm="a2a", in="header", name="x-key", Bearer realm="a2a"',
    );
    expect(await peer.with(withToken('bob')).refused('ListTasks')).toMatchObject({
      httpStatus: 403,
      message: expect.stringContaining('read'),
    });
  });

  it('need all of their schemes, each with its own scopes; the first says who calls', async () => {
    const peer = await serve({
      securitySchemes: { key: key(), bearer: bearer() },
      securityRequirements: [needs('bearer:read', 'key:app')],
    });
    expect(await who(peer.with({ ...withKey('app1:app'), ...withToken('bob:read') }))).toMatchObject({
      id: 'bob',
    });
    for (const headers of [
      withKey('app1:app'),
      withToken('bob:read'),
      { ...withKey('wrong'), ...withToken('bob:read') },
    ]) {
      expect((await peer.with(headers).refused('ListTasks')).httpStatus).toBe(401);
    }
    // The scope of one scheme is none of the other's.
    for (const headers of [
      { ...withKey('app1:app,read'), ...withToken('bob') },
      { ...withKey('app1'), ...withToken('bob:read,app') },
    ]) {
      expect((await peer.with(headers).refused('ListTasks')).httpStatus).toBe(403);
    }
  });

  it('may be empty: strangers get in, wrong credentials do not', async () => {
    for (const securityRequirements of [[...PUBLIC_ACCESS, needs('bearer')], undefined]) {
      const peer = await serve({ securitySchemes: { bearer: bearer() }, securityRequirements });
      expect(await who(peer)).toBeNull();
      expect(await who(peer.with(withToken('ann')))).toMatchObject({ id: 'ann' });
      expect((await peer.with(withToken('wrong')).refused('ListTasks')).httpStatus).toBe(401);
      await served?.close();
    }
  });

  it('are closed where all is wrong at once, and where a callback fails', async () => {
    const peer = await serve({
      securitySchemes: {
        bearer: httpBearer({
          validate: () => {
            throw new Error('db password=hunter2 at /srv/y');
          },
        }),
      },
      securityRequirements: [needs('bearer')],
    });
    const refusal = await peer.with(withToken('ann')).refused('ListTasks');
    expect(refusal.reason).toBe('INTERNAL');
    expect(JSON.stringify(refusal)).not.toMatch(/hunter2|srv/);
    expect(refusal.metadata).toHaveProperty('correlationId');
  });

  it('are checked before the body is looked at', async () => {
    const peer = await serve({ securitySchemes: { key: key() }, securityRequirements: [needs('key')] });
    const post = (headers: object) =>
      fetch(`${peer.url}/jsonrpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"x',
      });
    expect((await post({})).status).toBe(401);
    expect((await post(withKey('ann'))).status).toBe(200);
    const stray = await fetch(`${peer.url}/rest/nothing`);
    expect(stray.status).toBe(401);
  });

  it('name schemes that hostile clients cannot make up', async () => {
    const peer = await serve({ securitySchemes: { key: key() }, securityRequirements: [needs('key')] });
    for (const value of ['', ' ', '__proto__', 'wrong']) {
      const answer = await peer.with({ 'x-key': value, authorization: value }).call('ListTasks');
      // A name that validate() knows is a user, whatever it is.
      expect(answer.httpStatus).toBe(value === '__proto__' ? 200 : 401);
    }
  });
});

@AgentExecutor({
  ...AGENT,
  securitySchemes: { key: key(), bearer: bearer() },
  securityRequirements: [needs('key')],
})
class Desk {
  @Skill({ ...SKILL, id: 'status', name: 'Status' })
  status({ call }: RequestContext) {
    return `status for ${call.user?.id}`;
  }

  @Skill({ ...SKILL, id: 'refund', name: 'Refund', securityRequirements: [needs('bearer:refund')] })
  refund({ call }: RequestContext) {
    return `refund for ${call.user?.id}`;
  }

  @Skill({ ...SKILL, id: 'hours', name: 'Hours', securityRequirements: PUBLIC_ACCESS })
  async hours({ call, updater }: RequestContext): Promise<void> {
    await updater.requiresInput(`hours for ${call.user?.id ?? 'anybody'}`);
  }
}

const by = (skillId: string) => ({ message: { metadata: { skillId } } });

describe.each(PLATFORMS)('security requirements of skills, on %s', (platform) => {
  it('come on top of those of the agent', async () => {
    served = await serveApp(platform, { agents: [Desk] });
    const peer = served.peer('HTTP+JSON').with(withKey('ann'));
    const send = (as: Peer, skill: string, verb: 'SendMessage' | 'SendStreamingMessage' = 'SendMessage') =>
      as.call(verb, {
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }], ...by(skill).message },
      });
    expect((await send(peer, 'status')).result.message.parts[0].text).toBe('status for ann');
    for (const verb of ['SendMessage', 'SendStreamingMessage'] as const) {
      const none = await send(peer, 'refund', verb);
      expect(none.httpStatus).toBe(401);
      expect(none.headers.get('content-type')).toMatch(/json/);
      expect((await send(peer.with(withToken('ann')), 'refund', verb)).httpStatus).toBe(403);
    }
    expect((await send(peer.with(withToken('bob:refund')), 'refund')).result.message.parts[0].text).toBe(
      'refund for ann',
    );
    const alone = served.peer('HTTP+JSON').with(withToken('bob:refund'));
    expect((await send(alone, 'refund')).httpStatus).toBe(401);
  });

  it('may open one skill to everybody, and only it', async () => {
    served = await serveApp(platform, { agents: [Desk] });
    const stranger = served.peer();
    const { status, id } = await stranger.send('x', by('hours'));
    expect(status.message?.parts[0]?.text).toBe('hours for anybody');
    for (const skill of ['status', 'refund', 'none']) {
      expect((await stranger.refused('SendMessage', { message: { ...by(skill).message } })).httpStatus).toBe(
        401,
      );
    }
    expect((await stranger.refused('GetTask', { id })).httpStatus).toBe(401);
    // A follow-up that names no skill is for nobody knows which: closed.
    expect(
      (
        await stranger.refused('SendMessage', {
          message: { messageId: 'n', role: 'ROLE_USER', parts: [{ text: 'x' }], taskId: id },
        })
      ).httpStatus,
    ).toBe(401);
    const task = await stranger.with(withKey('ann')).send('x', by('hours'));
    expect(task.status.message?.parts[0]?.text).toBe('hours for ann');
    const wrong = stranger.with(withKey('wrong'));
    expect(
      (
        await wrong.refused('SendMessage', {
          message: { messageId: 'o', role: 'ROLE_USER', parts: [{ text: 'x' }], ...by('hours').message },
        })
      ).httpStatus,
    ).toBe(401);
  });

  it('cannot be escaped by a router that changes its mind', async () => {
    /** Says `hours` to the guard, and `status` when it counts. */
    class Fickle extends SkillRouter {
      #asked = 0;
      override route(_: unknown, skills: readonly SkillDefinition[]): SkillDefinition {
        this.#asked += 1;
        return skills.find(({ id }) => id === (this.#asked % 2 === 1 ? 'hours' : 'status'))!;
      }
    }
    served = await serveApp(platform, { agents: [Desk], options: { skillRouter: new Fickle() } });
    const stranger = served.peer();
    const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } };
    expect((await stranger.refused('SendMessage', params)).httpStatus).toBe(401);
    expect((await stranger.with(withKey('ann')).call('SendMessage', params)).httpStatus).toBe(200);
  });
});

@Injectable()
class HeaderGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; user?: unknown }>();
    const name = request.headers['x-host-user'];
    if (!name) throw new UnauthorizedException();
    if (name !== 'nobody') request.user = { id: name };
    return true;
  }
}

describe.each(PLATFORMS)('schemes that the host guards, on %s', (platform) => {
  it('are left to a guard of the class', async () => {
    @UseGuards(HeaderGuard)
    @AgentExecutor({
      ...AGENT,
      securitySchemes: { host: hostGuarded(BEARER) },
      securityRequirements: [needs('host:any')],
    })
    class Hosted extends Who {}
    served = await serveApp(platform, { agents: [Hosted] });
    const peer = served.peer();
    const refusal = await peer.refused('ListTasks');
    expect(refusal.httpStatus).toBe(401);
    expect(refusal.headers.get('www-authenticate')).toBe('Bearer realm="a2a"');
    expect(await who(peer.with({ 'x-host-user': 'ann' }))).toEqual({ id: 'ann' });
  });

  it('count beside others only when a global guard left a user', async () => {
    const agent = {
      agent: Who,
      options: {
        securitySchemes: { host: hostGuarded(BEARER), key: key() },
        securityRequirements: [needs('host'), needs('key')],
      },
    };
    served = await serveApp(platform, {
      agents: [agent],
      providers: [{ provide: APP_GUARD, useClass: HeaderGuard }],
    });
    const peer = served.peer();
    expect(await who(peer.with({ 'x-host-user': 'ann' }))).toEqual({ id: 'ann' });
    expect((await peer.with({ 'x-host-user': 'nobody' }).refused('ListTasks')).httpStatus).toBe(401);
    expect(await who(peer.with({ 'x-host-user': 'nobody', ...withKey('bob') }))).toMatchObject({ id: 'bob' });
  });
});
