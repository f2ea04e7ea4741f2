let next: Promise<void> | undefined;

/** Resolves in the next turn of the event loop, when all that runs without waiting for the outside has run. Who asks in one turn shares it. */
export function nextTurn(): Promise<void> {
  return (next ??= new Promise((resolve) => {
    setImmediate(() => {
      next = undefined;
      resolve();
    });
  }));
}
