import { parseArgs } from 'node:util';

/** What a chaos run does. Times in ms. */
export interface ChaosOptions {
  readonly seed: number;
  readonly tasks: number;
  /** SIGKILLs of webs and workers. */
  readonly kills: number;
  /** SIGTERMs of webs and workers. */
  readonly terms: number;
  /** Workers that are stopped for longer than their lease lives, then go on. */
  readonly pauses: number;
  readonly redisRestarts: number;
  /** Times that all connections of the database are cut. */
  readonly databaseCuts: number;
  readonly webs: number;
  readonly workers: number;
  /** Tasks that are under way at once. */
  readonly concurrency: number;
  /** Where the logs are. */
  readonly log: 'redis' | 'postgres';
  /** A task must have ended by then when its client has done its part; all of them when the load and the faults are over. */
  readonly boundMs: number;
  readonly databaseUrl: string;
  /** Keep the journals and logs of processes. */
  readonly keep: boolean;
  /** Write the figures to this file, as JSON. */
  readonly out?: string;
}

const DATABASE = 'postgres://postgres@127.0.0.1:5432/test';

/** Reads the command line; throws an Error that says what is wrong with it. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      tasks: { type: 'string', default: '5000' },
      kills: { type: 'string', default: '50' },
      terms: { type: 'string', default: '6' },
      pauses: { type: 'string', default: '6' },
      'redis-restarts': { type: 'string', default: '3' },
      'database-cuts': { type: 'string', default: '4' },
      webs: { type: 'string', default: '3' },
      workers: { type: 'string', default: '3' },
      concurrency: { type: 'string', default: '64' },
      log: { type: 'string', default: 'redis' },
      'bound-ms': { type: 'string', default: '60000' },
      keep: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const count = (name: keyof typeof values): number => {
    const text = String(values[name]);
    if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} ${text}: must be a whole number`);
    return Number(text);
  };
  const { log, out, keep } = values;
  if (log !== 'redis' && log !== 'postgres') throw new Error(`--log ${log}: must be redis or postgres`);
  return {
    seed: count('seed'),
    tasks: count('tasks'),
    kills: count('kills'),
    terms: count('terms'),
    pauses: count('pauses'),
    redisRestarts: count('redis-restarts'),
    databaseCuts: count('database-cuts'),
    webs: count('webs'),
    workers: count('workers'),
    concurrency: count('concurrency'),
    boundMs: count('bound-ms'),
    log,
    keep,
    out,
    databaseUrl: process.env['DATABASE_URL'] ?? DATABASE,
  };
}
