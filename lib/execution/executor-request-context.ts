import type { JsonObject, Message, Part, SendMessageConfiguration, Task } from '../protocol/model.js';
import { getText } from '../protocol/text.js';
import type { MessageCommand, TaskOrigin } from '../interfaces/queue-manager.js';
import {
  RequestContext,
  type ContextHistoryOptions,
  type FetchPartOptions,
  type PartContent,
} from '../interfaces/request-context.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import type { TaskReader } from '../interfaces/task-reader.js';
import type { UrlGuard } from '../interfaces/url-guard.js';
import type { TaskUpdater } from '../interfaces/task-updater.js';
import { fetchPart } from './fetch-part.js';
import type { RunSignal } from './run-signal.js';

const HISTORY_LIMIT = 10;
/** The largest page that a store answers with. */
const MOST = 100;

/** What a RequestContext is made of. */
export interface RequestContextParts {
  readonly taskId: string;
  readonly origin: TaskOrigin;
  readonly command: MessageCommand;
  readonly attempt: number;
  readonly task: Task | undefined;
  readonly signal: RunSignal;
  readonly updater: TaskUpdater;
  readonly reader: TaskReader;
  readonly urls: UrlGuard;
}

/** The RequestContext that executors get, in every runner. */
export class ExecutorRequestContext extends RequestContext {
  override readonly message: Message;
  override readonly task: Task | undefined;
  override readonly taskId: string;
  override readonly contextId: string;
  override readonly configuration: SendMessageConfiguration;
  override readonly metadata: JsonObject;
  override readonly call: ServerCallContext;
  override readonly skill: string | undefined;
  override readonly attempt: number;
  override readonly updater: TaskUpdater;
  readonly #signal: RunSignal;
  readonly #origin: TaskOrigin;
  readonly #reader: TaskReader;
  readonly #urls: UrlGuard;

  constructor({
    taskId,
    origin,
    command,
    attempt,
    task,
    signal,
    updater,
    reader,
    urls,
  }: RequestContextParts) {
    super();
    this.message = command.message;
    this.task = task;
    this.taskId = taskId;
    this.contextId = origin.contextId;
    this.configuration = command.configuration ?? {};
    this.metadata = command.metadata ?? {};
    this.call = command.call;
    this.skill = command.call.skill;
    this.attempt = attempt;
    this.#signal = signal;
    this.updater = updater;
    this.#origin = origin;
    this.#reader = reader;
    this.#urls = urls;
  }

  override get userInput(): string {
    return getText(this.message);
  }

  override get signal(): AbortSignal {
    return this.#signal.signal;
  }

  override get isCancelled(): boolean {
    return this.#signal.aborted;
  }

  override async relatedTasks(): Promise<Task[]> {
    const ids = this.message.referenceTaskIds ?? [];
    const records = await Promise.all(ids.map((id) => this.#reader.get(id, this.#origin)));
    return records.flatMap((record) => (record ? [record.task] : []));
  }

  override fetchPart(part: Part, options?: FetchPartOptions): Promise<PartContent> {
    return fetchPart(part, this.#urls, this.signal, options);
  }

  override async contextHistory({ limit = HISTORY_LIMIT }: ContextHistoryOptions = {}): Promise<Task[]> {
    const { agent, tenant, owner, contextId } = this.#origin;
    // One more than asked for: this task may be among them.
    const page = await this.#reader.list({
      agent,
      tenant,
      owner,
      contextId,
      pageSize: Math.min(limit + 1, MOST),
    });
    const others = page.records.map(({ task }) => task).filter(({ id }) => id !== this.taskId);
    return others.slice(0, limit).reverse();
  }
}
