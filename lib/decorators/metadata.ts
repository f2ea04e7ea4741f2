import type { Type } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import type { AgentExecutorOptions, SkillOptions } from '../interfaces/agent-options.js';
import type { SkillDefinition } from '../interfaces/agent-registry.js';
import type { PushNotificationFilter } from '../interfaces/push-notification.js';

const AGENT_EXECUTOR = 'nest-a2a:agent-executor';
const SKILLS = 'nest-a2a:skills';
const PUSH_NOTIFICATIONS = 'nest-a2a:push-notifications';

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

export function addPushNotificationFilter(method: object, filter: PushNotificationFilter): void {
  Reflect.defineMetadata(PUSH_NOTIFICATIONS, [filter, ...pushNotificationFiltersOn(method)], method);
}

/** The methods of a prototype that handle push notifications, each with the filters of its decorators. */
export function getPushNotificationMethods(
  prototype: object,
): { readonly method: string; readonly filters: readonly PushNotificationFilter[] }[] {
  return scanner
    .getAllMethodNames(prototype)
    .map((method) => ({
      method,
      filters: pushNotificationFiltersOn((prototype as Record<string, object>)[method]!),
    }))
    .filter(({ filters }) => filters.length > 0);
}

function pushNotificationFiltersOn(method: object): readonly PushNotificationFilter[] {
  return (Reflect.getMetadata(PUSH_NOTIFICATIONS, method) as PushNotificationFilter[] | undefined) ?? [];
}
