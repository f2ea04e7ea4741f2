import type { Type } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import type { AgentExecutorOptions, SkillOptions } from '../interfaces/agent-options.js';
import type { SkillDefinition } from '../interfaces/agent-registry.js';

const AGENT_EXECUTOR = 'nest-a2a:agent-executor';
const SKILLS = 'nest-a2a:skills';

const scanner = new MetadataScanner();

export function setAgentExecutorOptions(target: object, options: AgentExecutorOptions): void {
  Reflect.defineMetadata(AGENT_EXECUTOR, options, target);
}

/** The options of a class's `@AgentExecutor()`, its own or inherited; undefined when it has none. */
export function getAgentExecutorOptions(target: Type): AgentExecutorOptions | undefined {
  return Reflect.getMetadata(AGENT_EXECUTOR, target) as AgentExecutorOptions | undefined;
}

/** Adds in front: decorators of one thing run from the last to the first. */
export function addSkill(target: object, skill: SkillOptions): void {
  Reflect.defineMetadata(SKILLS, [skill, ...skillsOn(target)], target);
}

/** The skills on the class, then those on its methods, in the order in which they are written. */
export function getSkills(target: Type): SkillDefinition[] {
  const prototype = target.prototype as Record<string, object>;
  const handled = scanner
    .getAllMethodNames(prototype)
    .flatMap((method) => skillsOn(prototype[method]!).map((skill) => ({ ...skill, method })));
  return [...skillsOn(target), ...handled];
}

function skillsOn(target: object): readonly SkillOptions[] {
  return (Reflect.getMetadata(SKILLS, target) as SkillOptions[] | undefined) ?? [];
}
