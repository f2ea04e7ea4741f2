import { Observable, type Subscriber } from 'rxjs';

/** An iteration for every subscription, which begins with it; unsubscribing leaves the iteration. */
export function toObservable<T>(iterate: () => AsyncIterableIterator<T, undefined, void>): Observable<T> {
  return new Observable((subscriber) => {
    const iterator = iterate();
    void deliver(iterator, subscriber);
    return () => {
      // What leaving fails with, the subscriber is no longer there to be told.
      iterator.return?.().catch(() => undefined);
    };
  });
}

async function deliver<T>(events: AsyncIterable<T>, subscriber: Subscriber<T>): Promise<void> {
  try {
    for await (const event of events) subscriber.next(event);
    subscriber.complete();
  } catch (error) {
    subscriber.error(error);
  }
}
