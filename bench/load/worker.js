// @ts-check
// The load generator's process: takes jobs from its parent, one after another.
import { JOBS } from './jobs.js';

process.on('message', async (message) => {
  const { job, options } = /** @type {{ job: keyof typeof JOBS, options: any }} */ (message);
  try {
    process.send?.({ result: await JOBS[job](options) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
