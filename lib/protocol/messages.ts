import type { Message, Part, Role } from './model.js';
import { textPart } from './parts.js';
import { randomId } from './random-id.js';

/** Members of a message that its builder cannot know. */
export type MessageOptions = Partial<Omit<Message, 'role' | 'parts'>>;

/**
 * A message of the client, with a random `messageId` unless one is given.
 * @example userMessage('And the second one?', { taskId: task.id })
 */
export function userMessage(content: string | Part[], options?: MessageOptions): Message {
  return message('ROLE_USER', content, options);
}

/**
 * A message of the agent, with a random `messageId` unless one is given.
 * @example agentMessage([dataPart({ total: 3 })])
 */
export function agentMessage(content: string | Part[], options?: MessageOptions): Message {
  return message('ROLE_AGENT', content, options);
}

function message(role: Role, content: string | Part[], options?: MessageOptions): Message {
  return { messageId: randomId(), role, parts: toParts(content), ...options };
}

/** A lone string is one part of text. */
export function toParts(content: string | Part[]): Part[] {
  return typeof content === 'string' ? [textPart(content)] : content;
}
