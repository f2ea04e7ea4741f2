import { Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import type { AgentExecutor } from '../interfaces/agent-executor.js';
import { AgentRegistry, type AgentDefinition } from '../interfaces/agent-registry.js';
import type { EventQueue } from '../interfaces/event-queue.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { RequestContext } from '../interfaces/request-context.js';
import { emitResult, type Completion } from './emit-result.js';

type Instance = Record<string, unknown>;
type Handler = (context: RequestContext, eventQueue: EventQueue) => unknown;

/** Finds the executor of an agent in the DI container and runs it. */
@Injectable()
export class AgentInvoker {
  readonly #singletons = new Map<Type, Instance>();
  /** Request-scoped executors by their run, so that `cancel()` finds the one that works. */
  readonly #scoped = new WeakMap<RequestContext, Promise<Instance>>();

  constructor(
    private readonly registry: AgentRegistry,
    private readonly moduleRef: ModuleRef,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /** Whether an agent of this application wants interrupted runs again. */
  retries(agentId: string): boolean {
    const agent = this.registry.list().find(({ id }) => id === agentId);
    return agent?.options.onInterrupted === 'retry';
  }

  /** Runs the handler of a message to its end and emits what it returns. Throws what the executor throws. */
  async execute(context: RequestContext, queue: EventQueue): Promise<Completion> {
    const agent = this.registry.get(context.call.agent);
    const instance = this.#singletons.get(agent.target) ?? (await this.#instance(agent.target, context));
    const handler = instance[methodOf(agent, context.skill)] as Handler;
    const { observableBuffer } = this.options.execution;
    const result = await handler.call(instance, context, queue);
    if (result === undefined || result === null) return 'returned';
    return emitResult(result, { context, queue, observableBuffer });
  }

  /** Calls the executor's own `cancel()`, if it has one. */
  async cancel(context: RequestContext, queue: EventQueue): Promise<void> {
    const { target } = this.registry.get(context.call.agent);
    if (typeof target.prototype.cancel !== 'function') return;
    const instance = this.#singletons.get(target) ?? (await this.#instance(target, context));
    await (instance as unknown as Required<AgentExecutor>).cancel(context, queue);
  }

  async #instance(target: Type, context: RequestContext): Promise<Instance> {
    if (this.moduleRef.introspect(target).scope === Scope.DEFAULT) {
      const instance = this.moduleRef.get<Instance>(target, { strict: false });
      this.#singletons.set(target, instance);
      return instance;
    }
    return this.#scoped.get(context) ?? this.#create(target, context);
  }

  #create(target: Type, context: RequestContext): Promise<Instance> {
    const contextId = ContextIdFactory.create();
    this.moduleRef.registerRequestByContextId(context.call, contextId);
    const instance = this.moduleRef.resolve<Instance>(target, contextId, { strict: false });
    this.#scoped.set(context, instance);
    return instance;
  }
}

function methodOf(agent: AgentDefinition, skill: string | undefined): string {
  return agent.skills.find(({ id }) => id === skill)?.method ?? 'execute';
}
