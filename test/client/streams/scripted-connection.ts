import type { AgentCard, StreamResponse, Task, TaskState } from 'nest-a2a';
import {
  AgentConnection,
  type CallOptions,
  type ReceivedEvent,
  type Resumption,
  type StreamOptions,
} from 'nest-a2a/client';

/** What one exchange does: a stream of these events, which an error ends, or holds open; a Task; or nothing but an error. */
export type Reply = readonly (StreamResponse | ReceivedEvent | Error | 'stays open')[] | Task | Error;

/** One exchange as it was asked for. */
export interface Asked extends Resumption {
  readonly operation: string;
  readonly request: any;
  readonly options: CallOptions;
}

/** Answers with the replies of a script, one after the other; the last one stays. */
export class ScriptedConnection extends AgentConnection {
  readonly asked: Asked[] = [];
  readonly #script: Reply[];

  constructor(...script: Reply[]) {
    super();
    this.#script = script;
  }

  get operations(): string[] {
    return this.asked.map(({ operation }) => operation);
  }

  override async card(): Promise<AgentCard> {
    throw new Error('Nobody needs the card');
  }

  override async call(operation: string, request: unknown, options: CallOptions = {}): Promise<any> {
    return this.#reply({ operation, request, options });
  }

  override async open(
    operation: string,
    request: unknown,
    options: CallOptions = {},
    resumption: Resumption = {},
  ): Promise<AsyncIterableIterator<ReceivedEvent>> {
    const reply = this.#reply({ operation, request, options, ...resumption });
    if (!Array.isArray(reply)) throw new Error(`The script has no stream for ${operation}`);
    return tell(reply, options.signal);
  }

  override async close(): Promise<void> {}

  #reply(asked: Asked): Reply {
    this.asked.push(asked);
    const reply = this.#script.length > 1 ? this.#script.shift() : this.#script[0];
    if (!reply) throw new Error('The script is over');
    if (reply instanceof Error) throw reply;
    return reply;
  }
}

async function* tell(
  events: readonly (StreamResponse | ReceivedEvent | Error | 'stays open')[],
  signal: AbortSignal | undefined,
): AsyncGenerator<ReceivedEvent, undefined> {
  for (const event of events) {
    if (event instanceof Error) throw event;
    if (event === 'stays open') {
      await new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    } else yield 'event' in event ? event : { event: event as StreamResponse };
  }
  return undefined;
}

const IDS = { taskId: 't', contextId: 'c' };

export function taskIn(state: TaskState, more: Partial<Task> = {}): Task {
  return { id: 't', contextId: 'c', status: { state }, ...more };
}

export function statusIn(state: TaskState): StreamResponse {
  return { statusUpdate: { ...IDS, status: { state } } };
}

export function chunk(text: string, append = true): StreamResponse {
  return { artifactUpdate: { ...IDS, artifact: { artifactId: 'a', parts: [{ text }] }, append } };
}

export const FAST: StreamOptions = {
  resume: { maxAttempts: 3, initialDelayMs: 0, maxDelayMs: 1_000, maxPollMs: 0 },
};
