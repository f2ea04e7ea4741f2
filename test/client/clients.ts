import { userMessage, type SendMessageRequest } from 'nest-a2a';
import type { A2AClient, A2AClientOptions, ClientBinding } from 'nest-a2a/client';
import { createA2AClient } from 'nest-a2a/client';

export const CLIENT_BINDINGS: readonly ClientBinding[] = ['JSONRPC', 'HTTP+JSON'];

/** A client that speaks one binding. */
export function clientOf(base: string, binding: ClientBinding, options: A2AClientOptions = {}): A2AClient {
  return createA2AClient(base, { bindings: [binding], ...options });
}

/** A request to send a text to the scripted agent. */
export function text(content: string, extra: Partial<SendMessageRequest> = {}): SendMessageRequest {
  return { message: userMessage(content), ...extra };
}
