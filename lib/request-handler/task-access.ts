import { Injectable } from '@nestjs/common';
import { TaskNotFoundError } from '../protocol/errors.js';
import { OwnerResolver } from '../interfaces/owner-resolver.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { TaskReader } from '../interfaces/task-reader.js';
import type { TaskRecord, TaskScope } from '../interfaces/task-store.js';

/** The door to tasks: a task of another agent, tenant or owner answers as one that does not exist. */
@Injectable()
export class TaskAccess {
  constructor(
    private readonly reader: TaskReader,
    private readonly owners: OwnerResolver,
  ) {}

  scopeOf(call: ServerCallContext): TaskScope {
    return { agent: call.agent, tenant: call.tenant, owner: this.owners.resolve(call) };
  }

  /** The task as of now. Throws TaskNotFoundError. */
  async get(id: string, call: ServerCallContext): Promise<TaskRecord> {
    const record = await this.reader.get(id, this.scopeOf(call));
    if (!record) throw notFound(id);
    return record;
  }
}

/** What is answered for a task that does not exist, or not for this caller. */
export function notFound(taskId: string): TaskNotFoundError {
  return new TaskNotFoundError(`There is no task ${JSON.stringify(taskId)}`, { metadata: { taskId } });
}
