import { writeFileSync } from 'node:fs';
import { chaosRun } from './chaos-run.js';
import { readOptions } from './options.js';
import { report, violations } from './report.js';

// npm run test:chaos [-- --tasks 5000 --kills 50 --redis-restarts 3 --seed 1 …]
try {
  const options = readOptions(process.argv.slice(2));
  const { kills, tasks, seed } = options;
  console.log(`Chaos: ${tasks} tasks, ${kills} SIGKILLs, seed ${seed}`);
  const began = Date.now();
  const result = await chaosRun(options, (text) =>
    console.log(`${String(Math.round((Date.now() - began) / 1_000)).padStart(4)} s  ${text}`),
  );
  console.log(report(options, result));
  if (options.out) writeFileSync(options.out, JSON.stringify({ options, ...result }, undefined, 2));
  if (options.keep) console.log(`Journals and logs: ${result.folder}`);
  if (result.findings.violations.length > 0) {
    console.error(violations(result, 40));
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
