import { Inject, Injectable } from '@nestjs/common';
import { InvalidParamsError } from '../protocol/errors.js';
import type { ListTasksRequest, ListTasksResponse, Task } from '../protocol/model.js';
import { viewTask } from '../protocol/task-view.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { TaskReader } from '../interfaces/task-reader.js';
import type { TaskQuery } from '../interfaces/task-store.js';
import { decodePageToken, encodePageToken } from './page-token.js';
import { shownHistory } from './shown-history.js';
import { TaskAccess } from './task-access.js';

const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 100;

/** ListTasks (§3.1.4). */
@Injectable()
export class ListTasks {
  constructor(
    private readonly reader: TaskReader,
    private readonly access: TaskAccess,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  async list(request: ListTasksRequest, call: ServerCallContext): Promise<ListTasksResponse> {
    const { contextId, status, statusTimestampAfter, includeArtifacts, pageToken } = request;
    const { pageSize = DEFAULT_PAGE } = request;
    const historyLength = shownHistory(
      request.historyLength,
      'historyLength',
      this.options.limits.shownHistory,
    );
    checkPageSize(pageSize);
    const filters: TaskQuery = {
      ...this.access.scopeOf(call),
      contextId,
      status,
      statusTimestampAfter,
      pageSize,
    };
    const after = pageToken ? decodePageToken(pageToken, filters) : undefined;
    const page = await this.reader.list({ ...filters, after });
    return {
      tasks: page.records.map(({ task }) => show(task, historyLength, includeArtifacts === true)),
      nextPageToken: page.next ? encodePageToken(page.next, filters) : '',
      pageSize,
      totalSize: page.totalSize,
    };
  }
}

function show(task: Task, historyLength: number | undefined, artifacts: boolean): Task {
  const view = viewTask(task, { historyLength, artifacts });
  return artifacts && !view.artifacts ? { ...view, artifacts: [] } : view;
}

function checkPageSize(pageSize: number): void {
  if (pageSize >= 1 && pageSize <= LARGEST_PAGE) return;
  throw new InvalidParamsError([{ field: 'pageSize', description: `must be from 1 to ${LARGEST_PAGE}` }]);
}
