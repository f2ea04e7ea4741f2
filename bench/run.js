// @ts-check
// npm run bench [-- --quick] [--skip-slow] [--only send,get]
// A run of every row also writes docs/performance.md, unless it was a quick one.
import { parseArgs } from 'node:util';
import { startLoad } from './processes.js';
import { machine, tables, writePage } from './report.js';
import { ROWS } from './rows.js';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    'skip-slow': { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

const names = /** @type {(keyof typeof ROWS)[]} */ (options.only?.split(',') ?? Object.keys(ROWS));
const unknown = names.find((name) => !(name in ROWS));
if (unknown) {
  console.error(`--only ${unknown}: known rows are ${Object.keys(ROWS).join(', ')}`);
  process.exit(1);
}

const skipSlow = options['skip-slow'] || options.quick;
const effort = options.quick
  ? { rounds: 3, ms: 700, warmUpMs: 700, tasks: 50_000, ticks: 150, skipSlow }
  : { rounds: 5, ms: 2_000, warmUpMs: 2_000, tasks: 100_000, ticks: 500, skipSlow };

const load = startLoad();
/** @type {import('./report.js').AnyRow[]} */
const rows = [];
try {
  for (const name of names) {
    console.error(`measuring ${name} …`);
    rows.push(...(await ROWS[name](load, effort)));
  }
} finally {
  await load.stop();
}
console.log([machine(), ...tables(rows)].join('\n\n'));
if (!options.only && !options.quick) await writePage(rows);
