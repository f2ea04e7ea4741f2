import { Scope, type DynamicModule, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { A2AModule } from '../../lib/a2a.module.js';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import { Skill } from '../../lib/decorators/skill.decorator.js';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import type { Emission, EventQueue } from '../../lib/interfaces/event-queue.js';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import { RequestHandler } from '../../lib/interfaces/request-handler.js';
import type { ServerCallContext } from '../../lib/interfaces/server-call-context.js';
import type { SkillResult } from '../../lib/interfaces/skill-handler.js';
import type { EventStream, NumberedEvent } from '../../lib/interfaces/task-reader.js';
import { userMessage } from '../../lib/protocol/messages.js';
import type {
  Message,
  SendMessageConfiguration,
  SendMessageRequest,
  Task,
} from '../../lib/protocol/model.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { callOf } from '../contracts/samples.js';
import { Log } from '../module/fixtures.js';
import { LibraryTimers } from './library-timers.js';

const AGENT = { name: 'Test agent', description: 'Does what a test says', version: '1.0.0' };
const SKILL = { id: 'do', name: 'Do', description: 'Does it', tags: ['test'] };

type Handler = (context: RequestContext, eventQueue: EventQueue) => SkillResult;
type Cancel = (context: RequestContext, eventQueue: EventQueue) => Promise<void> | void;

/** Makes an agent whose one skill is a function. */
export function skillAgent(handle: Handler, cancel?: Cancel): Type {
  @AgentExecutor(AGENT)
  class TestAgent {
    @Skill(SKILL)
    handle(context: RequestContext, eventQueue: EventQueue): SkillResult {
      return handle(context, eventQueue);
    }
  }
  if (cancel) Object.assign(TestAgent.prototype, { cancel });
  return TestAgent;
}

/** Makes an agent of the plain form. */
export function plainAgent(execute: Handler, cancel?: Cancel): Type {
  @Skill(SKILL)
  @AgentExecutor({ ...AGENT, scope: Scope.DEFAULT })
  class TestAgent {
    execute(context: RequestContext, eventQueue: EventQueue): SkillResult {
      return execute(context, eventQueue);
    }
  }
  if (cancel) Object.assign(TestAgent.prototype, { cancel });
  return TestAgent;
}

/** Counts who watches, so that a test sees who was forgotten. */
export class CountingQueueManager extends MemoryQueueManager {
  watchers = 0;

  override watch(taskId: string, listener: (sequence?: number) => void): () => void {
    const unwatch = super.watch(taskId, listener);
    let watching = true;
    this.watchers += 1;
    return () => {
      if (watching) this.watchers -= 1;
      watching = false;
      unwatch();
    };
  }
}

export interface AgentHost {
  readonly module: TestingModule;
  readonly handler: RequestHandler;
  readonly queue: CountingQueueManager;
  readonly store: MemoryTaskStore;
  readonly log: Log;
  readonly call: ServerCallContext;
  send(content: string | Message, configuration?: SendMessageConfiguration): Promise<Task>;
  stream(content: string | Message): Promise<EventStream>;
  get(id: string): Promise<Task>;
  cancel(id: string): Promise<Task>;
  /** Shuts the application down as SIGTERM does. Once. */
  shutDown(): Promise<void>;
  /** The same, and finds what was forgotten; other applications of this process are to be shut down by then. */
  close(): Promise<void>;
}

/** Replicas share these two. */
export interface Shared {
  readonly queue?: CountingQueueManager;
  readonly store?: MemoryTaskStore;
}

/** An application with one agent, without HTTP; `adapters` are imported beside A2AModule. */
export async function startAgent(
  agent: Type,
  options: A2AModuleOptions = {},
  { queue = new CountingQueueManager(), store = new MemoryTaskStore() }: Shared = {},
  adapters: readonly DynamicModule[] = [],
): Promise<AgentHost> {
  const timers = new LibraryTimers();
  const log = new Log();
  const module = await Test.createTestingModule({
    imports: [
      A2AModule.forRoot({ queueManager: queue, taskStore: store, ...options }),
      ...adapters,
      A2AModule.forFeature([{ agent, id: 'agent' }]),
    ],
    providers: [agent],
  })
    .setLogger(log)
    .compile();
  await module.init();
  const handler = module.get(RequestHandler, { strict: false });
  const call = callOf();
  let closed: Promise<void> | undefined;
  const shutDown = (): Promise<void> => (closed ??= module.close());
  return {
    module,
    handler,
    queue,
    store,
    log,
    call,
    async send(content, configuration) {
      const answer = await handler.sendMessage(requestOf(content, configuration), call);
      if (!answer.task) throw new Error(`A message instead of a task: ${JSON.stringify(answer)}`);
      return answer.task;
    },
    stream: (content) => handler.sendStreamingMessage(requestOf(content), call),
    get: (id) => handler.getTask({ id }, call),
    cancel: (id) => handler.cancelTask({ id }, call),
    shutDown,
    async close() {
      await shutDown();
      const left = await timers.stop();
      if (left.length > 0) throw new Error(`Timers are left:\n${left.join('\n')}`);
    },
  };
}

/** What is sent for a text or a message. */
export function requestOf(
  content: string | Message,
  configuration?: SendMessageConfiguration,
): SendMessageRequest {
  const message = typeof content === 'string' ? userMessage(content) : content;
  return { message, ...(configuration && { configuration }) };
}

/** A message to a task that exists. */
export function to(taskId: string, text: string): Message {
  return userMessage(text, { taskId });
}

/** Everything up to the end of a stream. */
export async function readToEnd(stream: EventStream): Promise<NumberedEvent[]> {
  const all: NumberedEvent[] = [];
  for (let batch = await stream.read(); batch; batch = await stream.read()) all.push(...batch);
  return all;
}

/** Everything up to the first event that fits, which is the last. The stream stays open. */
export async function readUntil(
  stream: EventStream,
  fits: (event: NumberedEvent['event']) => boolean,
): Promise<NumberedEvent[]> {
  const all: NumberedEvent[] = [];
  for (let batch = await stream.read(); batch; batch = await stream.read()) {
    all.push(...batch);
    if (batch.some(({ event }) => fits(event))) return all;
  }
  throw new Error(`The stream ended before: ${JSON.stringify(all)}`);
}

/** States in the order of the events, the opening Task's included. */
export function statesOf(events: readonly NumberedEvent[]): (string | undefined)[] {
  return events
    .map(({ event }) => (event.statusUpdate ?? event.task)?.status.state)
    .filter((state) => state !== undefined);
}

/** Waits for the abort of a run, as a well-behaved executor does. */
export function aborted(context: RequestContext): Promise<never> {
  return new Promise((_, reject) => {
    context.signal.addEventListener('abort', () => reject(context.signal.reason as Error), { once: true });
  });
}

export type { Emission };
