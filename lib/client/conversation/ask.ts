import { userMessage } from '../../protocol/messages.js';
import type {
  JsonObject,
  Message,
  Part,
  SendMessageConfiguration,
  SendMessageRequest,
  Task,
} from '../../protocol/model.js';
import type { AgentConnection } from '../agent-connection.js';
import type { ClientDefaults } from '../client-options.js';
import { openStream } from '../streams/open-stream.js';
import type { StreamOptions } from '../streams/stream-options.js';
import { messageResult, resultOf, type AskResult } from './ask-result.js';
import { readOutcome } from './read-outcome.js';
import { waitFor } from './wait-for.js';

/** What is asked: a text, parts, or a whole message, which goes out as it is. */
export type Question = string | Part[] | Message;

/** A task by its id, or as it was answered. */
export type TaskReference = string | Pick<Task, 'id' | 'contextId'>;

/** What a question may say besides its content. */
export interface AskOptions extends StreamOptions {
  /** The conversation it belongs to; the agent begins one where it is unset. */
  readonly contextId?: string;
  /** Without `returnImmediately`, which is not the caller's to choose here. */
  readonly configuration?: Omit<SendMessageConfiguration, 'returnImmediately'>;
  /** Of the request. */
  readonly metadata?: JsonObject;
}

/** The message of a question; one that goes on with a task names it as its task, not as a reference (spec §3.4.2). */
export function messageOf(question: Question, contextId?: string, task?: TaskReference): Message {
  const isMessage = typeof question !== 'string' && !Array.isArray(question);
  const message = isMessage ? question : userMessage(question);
  const { id: taskId, contextId: known }: Partial<Task> =
    typeof task === 'string' ? { id: task } : (task ?? {});
  const context = contextId ?? known;
  return {
    ...message,
    ...(context !== undefined && { contextId: context }),
    ...(taskId !== undefined && { taskId }),
  };
}

/** Sends a message and waits for what comes of it: by a stream where the agent's card says that it streams. */
export async function ask(
  connection: AgentConnection,
  message: Message,
  options: AskOptions,
  defaults: ClientDefaults,
): Promise<AskResult> {
  const { contextId: _, configuration, metadata, ...call } = options;
  const request: SendMessageRequest = {
    message,
    ...(configuration && { configuration }),
    ...(metadata && { metadata }),
  };
  const { capabilities } = await connection.card(call);
  if (capabilities.streaming) {
    const events = openStream(connection, { send: request }, call, defaults);
    return readOutcome(events, { skipOpening: message.taskId !== undefined });
  }
  return askInSteps(connection, request, call, defaults);
}

/** A call that waits for hours is cut somewhere on its way, so a new task is sent and then looked at. */
async function askInSteps(
  connection: AgentConnection,
  request: SendMessageRequest,
  call: StreamOptions,
  defaults: ClientDefaults,
): Promise<AskResult> {
  // A task that waits already looks as it will when it waits again: only the agent knows when it took the message.
  const returnImmediately = request.message.taskId === undefined;
  const configuration = { ...request.configuration, returnImmediately };
  const { message, task } = await connection.call('SendMessage', { ...request, configuration }, call);
  if (message) return messageResult(message);
  return resultOf(task!) ?? waitFor(connection, task!.id, call, defaults);
}
