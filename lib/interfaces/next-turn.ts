/** Resolves in the next turn of the event loop, when all that runs without waiting for the outside has run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
