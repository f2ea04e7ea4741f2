import { Injectable } from '@nestjs/common';
import { A2AExplorer } from './a2a.explorer.js';
import { AgentRegistry, type AgentDefinition } from './interfaces/agent-registry.js';

/** The agents that the explorer found. */
@Injectable()
export class ExploredAgentRegistry extends AgentRegistry {
  constructor(private readonly explorer: A2AExplorer) {
    super();
  }

  override get(id: string): AgentDefinition {
    const agent = this.list().find((candidate) => candidate.id === id);
    if (agent) return agent;
    const ids = this.list().map((candidate) => candidate.id);
    throw new Error(
      `There is no agent with the id ${JSON.stringify(id)}; known ids: ${ids.join(', ') || 'none'}`,
    );
  }

  override list(): readonly AgentDefinition[] {
    return this.explorer.agents;
  }
}
