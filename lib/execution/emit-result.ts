import { isObservable } from 'rxjs';
import { agentMessage } from '../protocol/messages.js';
import { TaskEndedError, type Emission, type EventQueue } from '../interfaces/event-queue.js';
import type { RequestContext } from '../interfaces/request-context.js';
import type { ArtifactWriter } from '../interfaces/task-updater.js';
import { bufferObservable } from './buffer-observable.js';

/** `finished`: the executor said by its form that it is done; `returned`: it must have ended, paused or detached the task itself. */
export type Completion = 'finished' | 'returned';

export interface EmitOptions {
  readonly context: RequestContext;
  readonly queue: EventQueue;
  readonly observableBuffer: number;
}

/**
 * Emits what came of a handler: a string, a Message, an Observable, or an async iterable.
 * Strings that an iterable yields are the chunks of one text artifact, as a language model's tokens are.
 */
export async function emitResult(result: unknown, options: EmitOptions): Promise<Completion> {
  if (isObservable(result)) {
    await emitAll(bufferObservable(result, options.observableBuffer, options.context.signal), options);
    return 'finished';
  }
  if (isAsyncIterable(result)) {
    await emitAll(result, options);
    return 'finished';
  }
  await options.queue.enqueueEvent(toEmission(result));
  return 'returned';
}

async function emitAll(iterable: AsyncIterable<unknown>, { context, queue }: EmitOptions): Promise<void> {
  const iterator = iterable[Symbol.asyncIterator]();
  let text: ArtifactWriter | undefined;
  let done = false;
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done) {
        done = true;
        await text?.close();
        if (next.value !== undefined) await queue.enqueueEvent(toEmission(next.value));
        return;
      }
      if (context.isCancelled) return;
      if (typeof next.value === 'string') {
        text ??= context.updater.artifact();
        await text.write(next.value);
      } else {
        // Whatever follows, a pause above all, comes after the end of the text.
        await text?.close();
        text = undefined;
        await queue.enqueueEvent(next.value as Emission);
      }
    }
  } catch (error) {
    // The task has ended while the generator was busy: its output is discarded, its `finally` blocks run.
    if (!(error instanceof TaskEndedError)) throw error;
  } finally {
    if (!done) await iterator.return?.();
  }
}

function toEmission(value: unknown): Emission {
  return typeof value === 'string' ? agentMessage(value) : (value as Emission);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
