import { Injectable, type ScopeOptions } from '@nestjs/common';
import type { AgentExecutor as AgentExecutorContract } from '../interfaces/agent-executor.js';
import type { AgentExecutorOptions } from '../interfaces/agent-options.js';
import { setAgentExecutorOptions } from './metadata.js';

/**
 * The plain form of an agent, to be implemented by the class that `@AgentExecutor()` decorates unless it has `@Skill()` methods.
 *
 * @publicApi
 */
export interface AgentExecutor extends AgentExecutorContract {}

/**
 * Makes a provider an agent: its part of the Agent Card (§4.4.1), and Nest's `scope` and `durable`. The class becomes
 * injectable. Name it in `A2AModule.forFeature()` and add it to the `providers` of a module.
 *
 * @publicApi
 * @example
 * @AgentExecutor({ name: 'Order desk', description: 'Tracks orders', version: '1.0.0' })
 * export class OrderAgent {}
 */
export function AgentExecutor(options: AgentExecutorOptions & ScopeOptions): ClassDecorator {
  const { scope, durable, ...agent } = options;
  return (target) => {
    Injectable({ scope, durable })(target);
    setAgentExecutorOptions(target, agent);
  };
}
