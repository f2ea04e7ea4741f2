import type { ChaosResult } from './chaos-run.js';
import type { ChaosOptions } from './options.js';

/** The figures of a run, for people. */
export function report(options: ChaosOptions, result: ChaosResult): string {
  const { faults, findings, tasks, processes, loadSeconds, settleSeconds } = result;
  const rows: [string, string | number][] = [
    ['seed', options.seed],
    ['log', options.log],
    ['tasks accepted', tasks],
    ['processes started', processes],
    ['SIGKILLs of workers', faults.workerKills],
    ['SIGKILLs of webs', faults.webKills],
    ['SIGTERMs', faults.terms],
    ['workers stopped for longer than their lease', faults.pauses],
    ['Redis killed and restarted', faults.redisRestarts],
    ['database cut off', `${faults.databaseCuts} times, ${faults.connectionsCut} connections`],
    ['seconds under load', loadSeconds.toFixed(1)],
    ['seconds until the last task had ended', settleSeconds.toFixed(1)],
    ...Object.entries(findings.counts).sort(([a], [b]) => a.localeCompare(b)),
    ['violations', findings.violations.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** What was found wrong, at most so many. */
export function violations({ findings }: ChaosResult, most: number): string {
  const byRule = new Map<string, number>();
  for (const { rule } of findings.violations) byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
  const lines = [...byRule].map(([rule, count]) => `${rule}: ${count}`);
  const shown = findings.violations.slice(0, most);
  return [...lines, ...shown.map(({ rule, task, text }) => `  ${rule}, task ${task ?? '-'}: ${text}`)].join(
    '\n',
  );
}
