import 'reflect-metadata';
import {
  ForbiddenException,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  Scope,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, REQUEST, Reflector } from '@nestjs/core';
import { tap, throwError, timeout, map } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SkillDefinition } from '../../lib/interfaces/agent-registry.js';
import { a2aCall } from '../../lib/transports/a2a-call.js';
import {
  FedStream,
  PLATFORMS,
  definition,
  get,
  post,
  rpc,
  sendParams,
  startApp,
  task,
  type TestApp,
} from '../transports/harness.js';

/** What ran, in its order. */
let log: string[] = [];
let refuse: { by: string; error: Error | false } | undefined;

function describeContext(name: string, context: ExecutionContext): string {
  const call = a2aCall(context);
  const method = context.getHandler().name;
  return [name, context.getClass().name, method, call?.operation, call?.agent.id, call?.skill?.id].join(' ');
}

function guardNamed(name: string): Type<CanActivate> {
  @Injectable()
  class Guard implements CanActivate {
    canActivate(context: ExecutionContext) {
      log.push(describeContext(name, context));
      if (refuse?.by !== name) return true;
      if (refuse.error) throw refuse.error;
      return false;
    }
  }
  return Guard;
}

function interceptorNamed(name: string): Type<NestInterceptor> {
  @Injectable()
  class Interceptor implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler) {
      log.push(`${name} ${context.getClass().name} ${context.getHandler().name}`);
      if (refuse?.by === name) return throwError(() => (refuse as { error: Error }).error);
      return next.handle().pipe(
        tap({ complete: () => log.push(`${name} done`) }),
        map(() => 'wrapped'),
      );
    }
  }
  return Interceptor;
}

@Injectable()
class Orders {
  readonly open = true;
}

/** Needs a service of the agent's own module. */
@Injectable()
class OrdersGuard implements CanActivate {
  constructor(@Inject(Orders) private readonly orders: Orders) {}
  canActivate() {
    log.push('orders');
    return this.orders.open;
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestGuard implements CanActivate {
  constructor(@Inject(REQUEST) private readonly request: { headers: Record<string, string> }) {}
  canActivate() {
    log.push(`request ${this.request.headers['x-name']}`);
    return true;
  }
}

const ClassGuard = guardNamed('class');
const MethodGuard = guardNamed('method');
const ClassInterceptor = interceptorNamed('around class');
const MethodInterceptor = interceptorNamed('around method');

@SetMetadata('roles', ['clerk'])
@UseGuards(ClassGuard, OrdersGuard)
@UseInterceptors(ClassInterceptor)
class OrderAgent {
  @UseGuards(MethodGuard, RequestGuard)
  @UseInterceptors(MethodInterceptor)
  track() {}

  refund() {}
}

@Module({ providers: [OrderAgent, Orders] })
class OrdersModule {}

@Injectable()
class RolesGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}
  canActivate(context: ExecutionContext) {
    log.push(describeContext('global', context));
    log.push(`roles ${this.reflector.get('roles', context.getClass()) as string}`);
    if (refuse?.by === 'global' && refuse.error) throw refuse.error;
    return true;
  }
}

const globalFilter = { catch: vi.fn() };

const skill = (id: string, method: string): SkillDefinition => ({
  id,
  name: id,
  description: id,
  tags: [],
  method,
});

describe.each(PLATFORMS)('guards and interceptors on %s', (platform) => {
  let app: TestApp;
  let url: string;

  beforeEach(async () => {
    log = [];
    refuse = undefined;
    globalFilter.catch.mockReset();
    app = await startApp(platform, {
      agents: [
        definition({
          id: 'orders',
          target: OrderAgent,
          skills: [skill('track', 'track'), skill('refund', 'refund')],
        }),
      ],
      features: [{ agent: OrderAgent, id: 'orders' }],
      module: {
        imports: [OrdersModule],
        providers: [
          { provide: APP_GUARD, useClass: RolesGuard },
          { provide: APP_INTERCEPTOR, useClass: interceptorNamed('around all') },
          { provide: APP_FILTER, useValue: globalFilter },
        ],
      },
    });
    app.handler.answers = { sendMessage: () => ({ task: task() }), getTask: () => task() };
    url = `${app.url}/a2a`;
  });
  afterEach(() => app.close());

  it('run once each, from the outside in, and see the executor', async () => {
    const { json } = await post(`${url}/jsonrpc`, rpc('SendMessage', sendParams()), { 'X-Name': 'ann' });
    expect(json.result).toEqual({ task: task() });
    expect(log).toEqual([
      'global OrderAgentJsonRpcController handle SendMessage orders track',
      'roles clerk',
      'class OrderAgent handle SendMessage orders track',
      'orders',
      'around all OrderAgentJsonRpcController handle',
      'around class OrderAgent handle',
      'method OrderAgent track SendMessage orders track',
      'request ann',
      'around method OrderAgent track',
      'around method done',
      'around class done',
      'around all done',
    ]);
    expect(app.handler.calls).toHaveLength(1);
    expect(app.handler.calls[0]!.call.skill).toBe('track');
  });

  it('of a method run only when its skill is chosen', async () => {
    await post(`${url}/rest/message:send`, sendParams('hi', { metadata: { skillId: 'refund' } }));
    expect(log).toContain('class OrderAgent handle SendMessage orders refund');
    expect(log.join()).not.toMatch(/method/);
    log = [];
    await get(`${url}/rest/tasks/x`);
    expect(log).toContain('class OrderAgent handle GetTask orders ');
    expect(log.join()).not.toMatch(/method/);
  });

  it('are asked about malformed requests, too, and never see an exception', async () => {
    const { json } = await post(`${url}/jsonrpc`, '{');
    expect(json.error.code).toBe(-32700);
    expect(log[0]).toBe('global OrderAgentJsonRpcController handle  orders ');
    expect((await get(`${url}/rest/nope`)).status).toBe(404);
  });

  it.each(['global', 'class', 'method'])(
    'refuse at the %s level before a stream, with the id',
    async (by) => {
      app.handler.answers['sendStreamingMessage'] = () => new FedStream();
      refuse = { by, error: new ForbiddenException('Not you') };
      const { status, response, json } = await post(
        `${url}/jsonrpc`,
        rpc('SendStreamingMessage', sendParams(), 'q'),
      );
      expect(status).toBe(403);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(json).toMatchObject({
        id: 'q',
        error: { code: -32000, message: 'Not you', data: [{ reason: 'PERMISSION_DENIED' }] },
      });
      const rest = await post(`${url}/rest/message:stream`, sendParams());
      expect(rest).toMatchObject({
        status: 403,
        json: { error: { code: 403, status: 'PERMISSION_DENIED' } },
      });
      expect(app.handler.calls).toEqual([]);
      expect(globalFilter.catch).not.toHaveBeenCalled();
    },
  );

  it.each(['class', 'method'])('at the %s level may just say no', async (by) => {
    refuse = { by, error: false };
    expect((await post(`${url}/rest/message:send`, sendParams())).status).toBe(403);
  });

  it('send their exceptions in the shape of the binding', async () => {
    refuse = { by: 'global', error: new UnauthorizedException() };
    const unknown = await post(`${url}/jsonrpc`, rpc('SendMessage', sendParams(), 0));
    expect(unknown.status).toBe(401);
    expect(unknown.response.headers.get('www-authenticate')).toBe('Bearer realm="a2a"');
    expect(unknown.json).toMatchObject({
      id: 0,
      error: { code: -32000, data: [{ reason: 'UNAUTHENTICATED' }] },
    });
    refuse = { by: 'around method', error: new NotFoundException('No such order') };
    expect(await post(`${url}/rest/message:send`, sendParams())).toMatchObject({
      status: 404,
      json: { error: { status: 'NOT_FOUND', message: 'No such order' } },
    });
    refuse = { by: 'around class', error: new Error('secret') };
    const broken = await post(`${url}/rest/message:send`, sendParams());
    expect(broken.status).toBe(500);
    expect(broken.text).not.toContain('secret');
  });

  it('are not applied to what is outside the agents by the transport', async () => {
    globalFilter.catch.mockImplementation(
      (_: unknown, host: { switchToHttp(): { getResponse(): never } }) => {
        const response = host.switchToHttp().getResponse() as {
          status(code: number): { send(body: string): void };
        };
        response.status(418).send('host');
      },
    );
    expect((await get(`${app.url}/elsewhere`)).status).toBe(418);
    expect(log).toEqual([]);
  });
});

describe('an interceptor that gives up', () => {
  it('has a late stream ended', async () => {
    @Injectable()
    class Impatient implements NestInterceptor {
      intercept(_: ExecutionContext, next: CallHandler) {
        return next.handle().pipe(timeout(30));
      }
    }
    class SlowAgent {
      @UseInterceptors(Impatient)
      go() {}
    }
    const app = await startApp('fastify', {
      agents: [definition({ target: SlowAgent, skills: [skill('go', 'go')] })],
      features: [{ agent: SlowAgent }],
      module: { providers: [SlowAgent] },
    });
    const stream = new FedStream();
    let deliver!: () => void;
    app.handler.answers['sendStreamingMessage'] = () =>
      new Promise((resolve) => (deliver = () => resolve(stream)));
    const { status } = await post(`${app.url}/a2a/rest/message:stream`, sendParams());
    expect(status).toBe(500);
    deliver();
    await vi.waitFor(() => expect(stream.closed).toBe(true));
    await app.close();
  });
});
