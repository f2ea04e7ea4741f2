import { Logger, type DynamicModule, type LoggerService, type Type } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { A2AModule } from '../../lib/a2a.module.js';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import { Skill } from '../../lib/decorators/skill.decorator.js';
import type { AgentFeature } from '../../lib/interfaces/agent-options.js';
import type { A2AModuleExtras, A2AModuleOptions } from '../../lib/interfaces/module-options.js';

export const AGENT = { name: 'Order desk', description: 'Tracks orders', version: '1.0.0' };
export const TRACK = { id: 'track', name: 'Track', description: 'Tracks an order', tags: ['orders'] };

@Skill(TRACK)
@AgentExecutor(AGENT)
export class OrderAgent {
  execute(): void {}
}

@Skill({ ...TRACK, id: 'bill' })
@AgentExecutor({ ...AGENT, name: 'Billing' })
export class BillingAgent {
  execute(): void {}
}

type Options = A2AModuleOptions & A2AModuleExtras;

/** A module builder with A2A set up and the agents provided. */
export function a2aModule(
  agents: readonly (Type | AgentFeature)[],
  options: Options = {},
  root: DynamicModule = A2AModule.forRoot(options),
): TestingModuleBuilder {
  const classes = agents.map((agent) => (typeof agent === 'function' ? agent : agent.agent));
  return Test.createTestingModule({
    imports: [root, A2AModule.forFeature(agents)],
    providers: [...new Set(classes)],
  });
}

/** Compiles and runs the init hooks, without HTTP. */
export async function boot(builder: TestingModuleBuilder): Promise<TestingModule> {
  const module = await builder.compile();
  return module.init();
}

/** Collects what is logged. Give it to `builder.setLogger()`. */
export class Log implements LoggerService {
  readonly lines: { level: string; text: string }[] = [];

  log(text: string): void {
    this.lines.push({ level: 'log', text });
  }
  warn(text: string): void {
    this.lines.push({ level: 'warn', text });
  }
  error(text: string): void {
    this.lines.push({ level: 'error', text });
  }

  has(level: string, text: string): boolean {
    return this.lines.some((line) => line.level === level && line.text === text);
  }
}

export function silence(): void {
  Logger.overrideLogger(false);
}
