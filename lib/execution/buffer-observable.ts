import { takeWhile, type Observable, type Subscription } from 'rxjs';

/**
 * Reads an Observable at the reader's pace. An Observable cannot be slowed down, so what the reader has not taken yet is buffered;
 * more than `limit` values end the reading with an error, and an aborted signal ends it at once.
 */
export async function* bufferObservable<T>(
  source: Observable<T>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const buffer: T[] = [];
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  let subscription: Subscription | undefined;
  let wake = (): void => {};
  const end = (error?: { readonly error: unknown }): void => {
    ended = true;
    failure ??= error;
    subscription?.unsubscribe();
    wake();
  };
  const overflow = (): void => {
    buffer.length = 0;
    end({
      error: new Error(
        `The Observable was ${limit} values ahead of the log: pace it, or raise observableBuffer`,
      ),
    });
  };
  const abort = (): void => end();
  signal.addEventListener('abort', abort, { once: true });
  // A source that emits while it is subscribed to cannot be unsubscribed from yet.
  subscription = source.pipe(takeWhile(() => !ended)).subscribe({
    next(value) {
      if (buffer.push(value) > limit) overflow();
      else wake();
    },
    error: (error: unknown) => end({ error }),
    complete: () => end(),
  });
  try {
    for (;;) {
      if (signal.aborted) return;
      if (buffer.length > 0) yield buffer.shift()!;
      else if (failure) throw failure.error;
      else if (ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener('abort', abort);
    subscription.unsubscribe();
  }
}
