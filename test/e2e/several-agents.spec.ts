import {
  type CanActivate,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Get,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import {
  type AgentCard,
  A2AModule,
  AgentExecutor,
  type AgentFeature,
  getText,
  type RequestContext,
} from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headersOf, readAnswer } from '../support/http.js';
import { M } from '../support/message.js';
import { PLATFORMS, type Running, start, stop } from './apps.js';
import { read } from './calls.js';

@Injectable()
class ClosedGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return (
      context.switchToHttp().getRequest<{ headers: Record<string, string> }>().headers['x-key'] === 'open'
    );
  }
}

/** Says who it is and whose tenant it serves. */
function speak(name: string, { updater, call }: RequestContext): Promise<void> {
  return updater.complete(`${name} for ${call.tenant || 'nobody'}`);
}

@AgentExecutor({ name: 'Ada', description: 'The first', version: '1.0.0' })
class AdaAgent {
  async execute(context: RequestContext): Promise<void> {
    if (context.userInput === 'park') await context.updater.requiresInput();
    else await speak('Ada', context);
  }
}

@UseGuards(ClosedGuard)
@AgentExecutor({
  name: 'Ben',
  description: 'The second',
  version: '2.0.0',
  capabilities: { streaming: false },
})
class BenAgent {
  execute(context: RequestContext): Promise<void> {
    return speak('Ben', context);
  }
}

@AgentExecutor({
  name: 'Cat',
  description: 'The third',
  version: '3.0.0',
  defaultInputModes: ['application/json'],
  extensions: [{ uri: 'urn:cat', required: true }],
})
class CatAgent {
  execute(context: RequestContext): Promise<void> {
    return speak('Cat', context);
  }
}

@Controller()
class HostController {
  @Get('a/about')
  about() {
    return { of: 'the host' };
  }
}

class SeveralModule {}

function several(ada: Partial<AgentFeature> = {}): DynamicModule {
  return {
    module: SeveralModule,
    imports: [
      A2AModule.forRoot(),
      A2AModule.forFeature([{ agent: AdaAgent, path: 'a', ...ada }]),
      A2AModule.forFeature([{ agent: BenAgent, path: 'b' }]),
      A2AModule.forFeature([{ agent: CatAgent, path: 'c' }]),
    ],
    controllers: [HostController],
    providers: [AdaAgent, BenAgent, CatAgent],
  };
}

const KEYS = { b: { 'x-key': 'open' }, c: { 'a2a-extensions': 'urn:cat' } };

describe.each(PLATFORMS)('B17: three agents in one application, on %s', (platform) => {
  let running: Running;
  beforeAll(async () => void (running = await start(platform, several())));
  afterAll(() => stop(running));

  const ask = async (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    readAnswer<any>(
      await fetch(`${running.base}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: headersOf(body === undefined ? {} : { 'content-type': 'application/json' }, headers),
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    );
  const call = async (at: 'a' | 'b' | 'c', method: string, params: unknown) =>
    (await ask(`/${at}/jsonrpc`, { jsonrpc: '2.0', id: 1, method, params }, { ...KEYS.b, ...KEYS.c })).body;

  it('each has a card of its own, which names its own interfaces', async () => {
    for (const [at, name] of [
      ['a', 'Ada'],
      ['b', 'Ben'],
      ['c', 'Cat'],
    ]) {
      const { status, body } = await ask(`/${at}/.well-known/agent-card.json`);
      const card = body as AgentCard;
      expect(status).toBe(200);
      expect(card.name).toBe(name);
      expect(card.supportedInterfaces.map(({ url }) => url)).toEqual([
        `${running.base}/${at}/jsonrpc`,
        `${running.base}/${at}/rest`,
      ]);
    }
  });

  it('none has the card of the origin unless it is said which', async () => {
    expect((await ask('/.well-known/agent-card.json')).status).toBe(404);
    const marked = await start(platform, several({ wellKnown: true }));
    const response = await fetch(`${marked.base}/.well-known/agent-card.json`);
    expect(((await response.json()) as AgentCard).name).toBe('Ada');
    await stop(marked);
  });

  it('each answers for itself', async () => {
    for (const [at, name] of [
      ['a', 'Ada'],
      ['b', 'Ben'],
      ['c', 'Cat'],
    ] as const) {
      const { result } = await call(at, 'SendMessage', M('hi'));
      expect(getText(result.task.status.message)).toBe(`${name} for nobody`);
    }
  });

  it('a task of one is unknown to the others, in every operation', async () => {
    const { result } = await call('a', 'SendMessage', M('park'));
    const { id, contextId } = result.task;
    for (const at of ['b', 'c'] as const) {
      for (const method of ['GetTask', 'CancelTask']) {
        expect((await call(at, method, { id })).error.code, method).toBe(-32001);
      }
      const followUp = await call(at, 'SendMessage', M('hi', { message: { taskId: id } }));
      expect(followUp.error.code).toBe(-32001);
      const { tasks } = (await call(at, 'ListTasks', { contextId })).result;
      expect(tasks).toEqual([]);
      expect((await ask(`/${at}/rest/tasks/${id}`, undefined, { ...KEYS.b, ...KEYS.c })).status).toBe(404);
    }
    expect((await call('c', 'SubscribeToTask', { id })).error.code).toBe(-32001);
    expect((await call('a', 'GetTask', { id })).result.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('guards, capabilities, modes and extensions are of one agent only', async () => {
    const send = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: M('hi') };
    expect((await ask('/b/jsonrpc', send)).status).toBe(403);
    expect((await ask('/a/jsonrpc', send)).body.result.task).toBeDefined();
    expect((await ask('/c/jsonrpc', send)).body.error.code).toBe(-32008);
    expect((await call('b', 'SendStreamingMessage', M('hi'))).error.code).toBe(-32004);
    const plain = { message: { parts: [{ text: 'hi', mediaType: 'text/plain' }] } };
    expect((await call('c', 'SendMessage', M('', plain))).error.code).toBe(-32005);
    expect((await call('a', 'SendMessage', M('', plain))).result.task).toBeDefined();
    const streamed = await fetch(`${running.base}/a/rest/message:stream`, {
      method: 'POST',
      headers: headersOf({ 'content-type': 'application/json' }),
      body: JSON.stringify(M('hi')),
    });
    expect((await read(streamed)).length).toBeGreaterThan(0);
  });

  it("what follows an agent's path is the tenant, never another agent", async () => {
    const sent = await ask('/a/rest/t1/message:send', M('hi'));
    expect(getText(sent.body.task.status.message)).toBe('Ada for t1');
    const odd = await ask('/a/rest/b/message:send', M('hi'));
    expect(getText(odd.body.task.status.message)).toBe('Ada for b');
    const { id } = sent.body.task;
    expect((await ask(`/a/rest/t1/tasks/${id}`)).body.id).toBe(id);
    for (const elsewhere of [`/a/rest/tasks/${id}`, `/a/rest/t2/tasks/${id}`]) {
      expect((await ask(elsewhere)).status).toBe(404);
    }
    expect((await call('a', 'GetTask', { id, tenant: 't1' })).result.id).toBe(id);
    expect((await call('a', 'GetTask', { id })).error.code).toBe(-32001);
  });

  it('the host keeps what is its own beside them', async () => {
    expect((await ask('/a/about')).body).toEqual({ of: 'the host' });
  });
});
