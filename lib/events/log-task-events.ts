import { Injectable } from '@nestjs/common';
import { Observable } from 'rxjs';
import { TaskNotFoundError } from '../protocol/errors.js';
import type { StreamResponse } from '../protocol/model.js';
import { TaskEvents, TaskReader, type EventStream } from '../interfaces/task-reader.js';

/** Gives the log of a task as an Observable. */
@Injectable()
export class LogTaskEvents extends TaskEvents {
  constructor(private readonly reader: TaskReader) {
    super();
  }

  override observe(taskId: string): Observable<StreamResponse> {
    return new Observable((subscriber) => {
      const stream = this.reader.follow(taskId, { snapshot: true, untilPaused: false });
      pump(stream, taskId, (event) => subscriber.next(event)).then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
      return () => stream.close();
    });
  }
}

async function pump(
  stream: EventStream,
  taskId: string,
  next: (event: StreamResponse) => void,
): Promise<void> {
  let batch = await stream.read();
  if (!batch) throw new TaskNotFoundError(undefined, { metadata: { taskId } });
  for (; batch; batch = await stream.read()) for (const { event } of batch) next(event);
}
