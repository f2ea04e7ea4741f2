import { randomUUID } from 'node:crypto';
import type { Message, SendMessageConfiguration, SendMessageRequest } from 'nest-a2a';

/** What a test may change of a SendMessage request: members of the request, and of its message. */
export type Extra = Partial<Omit<SendMessageRequest, 'message' | 'configuration'>> & {
  message?: Partial<Message>;
  configuration?: Partial<SendMessageConfiguration>;
};

/** Parameters of SendMessage with this text and a fresh messageId. */
export function M(text: string, extra: Extra = {}): SendMessageRequest {
  const message = {
    messageId: randomUUID(),
    role: 'ROLE_USER' as const,
    parts: [{ text }],
    ...extra.message,
  };
  return { ...extra, message };
}
