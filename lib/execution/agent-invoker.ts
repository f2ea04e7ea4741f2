import { Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import type { AgentExecutor } from '../interfaces/agent-executor.js';
import { AgentRegistry, type AgentDefinition } from '../interfaces/agent-registry.js';
import type { EventQueue } from '../interfaces/event-queue.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { RequestContext } from '../interfaces/request-context.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { emitResult, type Completion } from './emit-result.js';

type Handler = (context: RequestContext, eventQueue: EventQueue) => unknown;

/** Finds the executor of an agent in the DI container and runs it. */
@Injectable()
export class AgentInvoker {
  constructor(
    private readonly registry: AgentRegistry,
    private readonly moduleRef: ModuleRef,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /** Runs the handler of a message to its end and emits what it returns. Throws what the executor throws. */
  async execute(context: RequestContext, queue: EventQueue): Promise<Completion> {
    const agent = this.registry.get(context.call.agent);
    const instance = await this.#instance(agent.target, context.call);
    const handler = instance[methodOf(agent, context.skill)] as Handler;
    const { observableBuffer } = this.options.execution;
    return emitResult(handler.call(instance, context, queue), { context, queue, observableBuffer });
  }

  /** Calls the executor's own `cancel()`, if it has one. */
  async cancel(context: RequestContext, queue: EventQueue): Promise<void> {
    const { target } = this.registry.get(context.call.agent);
    if (typeof target.prototype.cancel !== 'function') return;
    const instance = await this.#instance(target, context.call);
    await (instance as unknown as Required<AgentExecutor>).cancel(context, queue);
  }

  async #instance(target: Type, call: ServerCallContext): Promise<Record<string, unknown>> {
    if (this.moduleRef.introspect(target).scope === Scope.DEFAULT)
      return this.moduleRef.get(target, { strict: false });
    const contextId = ContextIdFactory.create();
    this.moduleRef.registerRequestByContextId(call, contextId);
    return this.moduleRef.resolve(target, contextId, { strict: false });
  }
}

function methodOf(agent: AgentDefinition, skill: string | undefined): string {
  return agent.skills.find(({ id }) => id === skill)?.method ?? 'execute';
}
