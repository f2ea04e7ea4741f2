/** A function that computes its value at the first call. */
export interface Once<T> {
  (): T;
  /** Replaces the value. */
  keep(value: T): void;
}

/** Calls `compute` at most once, and answers every further call with the same value or the same error. */
export function once<T>(compute: () => T): Once<T> {
  let answer: (() => T) | undefined;
  const read = () => (answer ??= settle(compute))();
  return Object.assign(read, { keep: (value: T) => void (answer = () => value) });
}

function settle<T>(compute: () => T): () => T {
  try {
    const value = compute();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
