// @ts-check
// What every server of the benchmark tells its parent process.

/** @param {number} port */
export function ready(port) {
  console.log(`ready ${port}`);
  process.on('message', (request) => {
    if (request !== 'memory') return;
    globalThis.gc?.();
    process.send?.({ memory: process.memoryUsage() });
  });
  process.on('disconnect', () => process.exit(0));
}
