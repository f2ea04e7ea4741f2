import { Injectable } from '@nestjs/common';
import type { SendMessageRequest } from '../protocol/model.js';
import { AgentRegistry, type AgentDefinition, type SkillDefinition } from '../interfaces/agent-registry.js';
import { QueueManager } from '../interfaces/queue-manager.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { SkillRouter } from '../interfaces/skill-router.js';
import { inScope } from '../interfaces/task-store.js';
import { TaskAccess } from './task-access.js';

/** Chooses the skill of a send, once: the router decides, and is told which skill the task was begun with. */
@Injectable()
export class SkillSelection {
  constructor(
    private readonly registry: AgentRegistry,
    private readonly router: SkillRouter,
    private readonly access: TaskAccess,
    private readonly queue: QueueManager,
  ) {}

  /** Undefined for agents with a plain `execute()`. Throws what the router throws. */
  choose(
    request: SendMessageRequest,
    call: ServerCallContext,
  ): Promise<SkillDefinition> | SkillDefinition | undefined {
    const agent = this.registry.get(call.agent);
    if (!agent.skills.some(isHandled)) return undefined;
    return agent.skills.find(({ id }) => id === call.skill) ?? this.#route(request, call, agent);
  }

  async #route(
    request: SendMessageRequest,
    call: ServerCallContext,
    agent: AgentDefinition,
  ): Promise<SkillDefinition> {
    const skills = agent.skills.filter(isHandled);
    const begunWith = await this.#begunWith(request, call);
    const current = skills.find(({ id }) => id === begunWith);
    return this.router.route(request, skills, agent, current);
  }

  /** Of another's task nothing is told, not even by the choice. */
  async #begunWith({ message }: SendMessageRequest, call: ServerCallContext): Promise<string | undefined> {
    if (!message.taskId) return undefined;
    const head = await this.queue.head(message.taskId);
    return head && inScope(head, this.access.scopeOf(call)) ? head.skill : undefined;
  }
}

function isHandled({ method }: SkillDefinition): boolean {
  return method !== undefined;
}
