import {
  type CallHandler,
  type CanActivate,
  Catch,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Inject,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import { a2aCall, A2AModule, AgentExecutor, type RequestContext, Skill, type Task } from 'nest-a2a';
import { map, tap } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { M } from '../support/message.js';
import { rest } from '../support/rest.js';
import { rpc } from '../support/rpc.js';
import { PLATFORMS, type Running, start, stop } from './apps.js';
import { listTasks, read, sendStream, word } from './calls.js';

/** What ran for a request, in order. */
const log: string[] = [];
/** Name of the guard that says no. */
let refusing: string | undefined;

/** Where an enhancer runs and what it learns of the call. */
function note(name: string, context: ExecutionContext): void {
  const call = a2aCall(context);
  const place = `${context.getClass().name}.${context.getHandler().name}`;
  log.push([name, place, call?.binding, call?.agent.id, call?.operation, call?.skill?.id ?? '-'].join(' '));
}

function guard(name: string): Type<CanActivate> {
  @Injectable()
  class NotingGuard implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      note(name, context);
      if (refusing === name) throw new ForbiddenException(`${name} says no`);
      return true;
    }
  }
  return NotingGuard;
}

function interceptor(name: string): Type<NestInterceptor> {
  @Injectable()
  class NotingInterceptor implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler) {
      note(name, context);
      return next.handle().pipe(
        tap({ complete: () => log.push(`${name} done`) }),
        // What is sent is the transport's business; an envelope would break the protocol.
        map((value: unknown) => ({ wrapped: value })),
      );
    }
  }
  return NotingInterceptor;
}

/** Reads metadata of class and handler, as roles guards do. */
@Injectable()
class RolesGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    log.push(`roles ${this.reflector.getAllAndOverride<string>('role', targets)}`);
    return true;
  }
}

const ClassGuard = guard('class guard');
const SkillGuard = guard('skill guard');
const ClassInterceptor = interceptor('class interceptor');
const SkillInterceptor = interceptor('skill interceptor');

@Catch()
class AppFilter implements ExceptionFilter {
  catch(): void {
    log.push('app filter');
  }
}

const SKILL = { description: 'Of the order desk', tags: ['orders'] };

@SetMetadata('role', 'clerk')
@UseGuards(ClassGuard)
@UseInterceptors(ClassInterceptor)
@UseFilters(AppFilter)
@AgentExecutor({ name: 'Order desk', description: 'Tracks orders', version: '1' })
class OrderAgent {
  @UseGuards(SkillGuard, RolesGuard)
  @SetMetadata('role', 'tracker')
  @UseInterceptors(SkillInterceptor)
  @Skill({ ...SKILL, id: 'track', name: 'Track' })
  async track({ updater }: RequestContext): Promise<void> {
    log.push('track');
    await updater.complete('tracked');
  }

  @Skill({ ...SKILL, id: 'refund', name: 'Refund' })
  async refund({ updater }: RequestContext): Promise<void> {
    log.push('refund');
    await updater.requiresInput('how much?');
  }
}

class OrdersModule {}

function orders(): DynamicModule {
  return {
    module: OrdersModule,
    imports: [A2AModule.forRoot(), A2AModule.forFeature([OrderAgent])],
    providers: [
      OrderAgent,
      { provide: APP_GUARD, useClass: guard('app guard') },
      { provide: APP_GUARD, useClass: RolesGuard },
      { provide: APP_INTERCEPTOR, useClass: interceptor('app interceptor') },
      { provide: APP_FILTER, useClass: AppFilter },
    ],
  };
}

const by = (skillId: string) => ({ message: { metadata: { skillId } }, metadata: { skillId } });

describe.each(PLATFORMS)('B12: enhancers on %s', (platform) => {
  let running: Running;
  let base: string;
  beforeAll(async () => {
    running = await start(platform, orders());
    base = running.base;
  });
  afterAll(() => stop(running));
  beforeEach(() => {
    log.length = 0;
    refusing = undefined;
  });

  /** The log once the answer has been given and all that observes it has run. */
  const around = (call: string, inside: string[]) => {
    const [binding, ...asked] = call.split(' ');
    const kind = binding === 'JSONRPC' ? 'JsonRpc' : 'Rest';
    const place = `OrderAgent${kind}Controller.handle ${binding} OrderAgent ${asked.join(' ')}`;
    const own = `OrderAgent.handle ${binding} OrderAgent ${asked.join(' ')}`;
    return [
      `app guard ${place}`,
      'roles clerk',
      `class guard ${own}`,
      `app interceptor ${place}`,
      `class interceptor ${own}`,
      ...inside,
      'class interceptor done',
      'app interceptor done',
    ];
  };

  it('run once for a plain operation and know which it is', async () => {
    await rpc(base, 'ListTasks', {});
    expect(log).toEqual(around('JSONRPC ListTasks -', []));
    log.length = 0;
    await rest(base, 'GET', '/tasks');
    expect(log).toEqual(around('HTTP+JSON ListTasks -', []));
  });

  it.each([
    ['SendMessage', 'JSONRPC'],
    ['SendMessage', 'HTTP+JSON'],
    ['SendStreamingMessage', 'JSONRPC'],
    ['SendStreamingMessage', 'HTTP+JSON'],
  ])('run once for %s over %s, those of the chosen skill too', async (operation, binding) => {
    const call = `${binding} ${operation} track`;
    const asSkill = `OrderAgent.track ${binding} OrderAgent ${operation} track`;
    if (operation === 'SendStreamingMessage') {
      const story = await read(
        await sendStream(binding === 'JSONRPC' ? 'JSON-RPC' : 'REST', base, 'hi', by('track')),
      );
      expect(word(story.at(-1)!)).toBe('COMPLETED');
    } else if (binding === 'JSONRPC') {
      expect((await rpc(base, operation, M('hi', by('track')))).body.result).toHaveProperty('task');
    } else {
      expect((await rest(base, 'POST', '/message:send', M('hi', by('track')))).body).toHaveProperty('task');
    }
    // The executor runs on its own; where it stands among the others is nobody's promise.
    expect(log.filter((entry) => entry === 'track')).toHaveLength(1);
    expect(log.filter((entry) => entry !== 'track')).toEqual(
      around(call, [
        `skill guard ${asSkill}`,
        'roles tracker',
        `skill interceptor ${asSkill}`,
        'skill interceptor done',
      ]),
    );
  });

  it('of a skill do not run for another', async () => {
    await rpc(base, 'SendMessage', M('hi', by('refund')));
    expect(log.filter((entry) => entry !== 'refund')).toEqual(around('JSONRPC SendMessage refund', []));
  });

  it('run for each message of a task', async () => {
    const { body } = await rpc(base, 'SendMessage', M('hi', by('refund')));
    const { id: taskId } = body.result.task as Task;
    log.length = 0;
    const next = by('track');
    await rpc(base, 'SendMessage', M('on', { ...next, message: { ...next.message, taskId } }));
    expect(log.filter((entry) => entry.startsWith('app guard'))).toHaveLength(1);
    expect(log.filter((entry) => entry.startsWith('skill guard'))).toHaveLength(1);
  });

  it.each(['app guard', 'class guard', 'skill guard'])(
    '%s turns calls away before anything happens',
    async (name) => {
      refusing = name;
      const before = await listCount();
      const params = M('hi', by('track'));
      for (const method of ['SendMessage', 'SendStreamingMessage']) {
        const answer = await rpc(base, method, params);
        expect(answer.status).toBe(403);
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        expect(answer.body).toMatchObject({
          jsonrpc: '2.0',
          id: expect.any(Number),
          error: { code: -32000, data: [{ reason: 'PERMISSION_DENIED' }] },
        });
      }
      for (const verb of ['send', 'stream']) {
        const answer = await rest(base, 'POST', `/message:${verb}`, params);
        expect(answer.status).toBe(403);
        expect(answer.headers.get('content-type')).toMatch(/^application\/(a2a\+)?json/);
        expect(answer.body.error).toMatchObject({ code: 403, status: 'PERMISSION_DENIED' });
      }
      expect(log).not.toContain('track');
      expect(log).not.toContain('app filter');
      expect(await listCount()).toBe(before);
    },
  );

  it('the id of a refused JSON-RPC call is echoed, whatever it is', async () => {
    refusing = 'app guard';
    for (const id of ['', 'x', 0, 7, null]) {
      const response = await fetch(`${base}/a2a/jsonrpc`, {
        method: 'POST',
        headers: { 'a2a-version': '1.0', 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method: 'SendStreamingMessage', params: M('hi') }),
      });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ id });
    }
  });

  it('the card is public: no guard sees it', async () => {
    refusing = 'app guard';
    const response = await fetch(`${base}/.well-known/agent-card.json`);
    expect(response.status).toBe(200);
    expect(log).toEqual([]);
  });

  async function listCount(): Promise<number> {
    const was = refusing;
    refusing = undefined;
    const { length } = await listTasks(base, '?pageSize=100');
    refusing = was;
    return length;
  }
});
