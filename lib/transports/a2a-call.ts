import type { ExecutionContext } from '@nestjs/common';
import type { AgentDefinition, SkillDefinition } from '../interfaces/agent-registry.js';
import type { ProtocolBinding } from '../interfaces/server-call-context.js';
import type { OperationName } from '../protocol/operations.js';
import { callOf, type IncomingCall } from './incoming-call.js';

/** What an A2A request asks for, as far as it can be told. */
export interface A2ACall {
  readonly binding: ProtocolBinding;
  readonly agent: AgentDefinition;
  /** Undefined when the request is malformed, or names no operation. */
  readonly operation: OperationName | undefined;
  /** The skill chosen for a send; undefined otherwise, and when the message is malformed or no skill fits. */
  readonly skill: SkillDefinition | undefined;
}

/** Kept with the call, so that guards and interceptors of one request share the work. */
const CALLS = new WeakMap<IncomingCall, A2ACall>();

/**
 * Tells guards and interceptors which operation, agent and skill a request is about. It never throws: a malformed
 * request is refused after the guards, in the shape of its binding.
 *
 * @returns undefined when the request is not for an agent, which a global guard has to expect.
 * @publicApi
 * @example
 * canActivate(context: ExecutionContext) {
 *   const call = a2aCall(context);
 *   return call?.skill?.id !== 'refund' || isAdmin(context);
 * }
 */
export function a2aCall(context: ExecutionContext): A2ACall | undefined {
  const call = callOf(context.switchToHttp().getRequest());
  if (!call) return undefined;
  let known = CALLS.get(call);
  if (!known) CALLS.set(call, (known = describe(call)));
  return known;
}

function describe(call: IncomingCall): A2ACall {
  return {
    binding: call.binding.name,
    agent: call.agent,
    operation: attempt(() => call.requested().operation),
    skill: attempt(() => call.skill()),
  };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
