import type { IdGenerator } from '../interfaces/id-generator.js';
import type { ExecutionOptions } from '../interfaces/module-options.js';
import type { QueueManager } from '../interfaces/queue-manager.js';
import type { TaskReader } from '../interfaces/task-reader.js';
import type { UrlGuard } from '../interfaces/url-guard.js';
import type { AgentInvoker } from './agent-invoker.js';

/** What a run needs of the application. */
export interface RunServices {
  readonly invoker: AgentInvoker;
  readonly reader: TaskReader;
  readonly queue: QueueManager;
  readonly urls: UrlGuard;
  readonly ids: IdGenerator;
  readonly options: Required<ExecutionOptions>;
  /** Runs for one message, the interrupted ones included. */
  readonly maxAttempts: number;
}
