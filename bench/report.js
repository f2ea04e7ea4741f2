// @ts-check
// Turns rows into tables, and puts them into docs/performance.md.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';

/** @import { BackingName } from './backings.js' */
/** @import { BackingRow } from './backing-rows.js' */
/** @import { GuardRow } from './guard-rows.js' */
/** @import { Row } from './rows.js' */

/** @typedef {Row | BackingRow | GuardRow} AnyRow */

const PAGE = new URL('../docs/performance.md', import.meta.url);

/** Columns of the table of backings. */
const BACKINGS = /** @type {Record<BackingName, string>} */ ({
  memory: 'memory',
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  mariadb: 'MariaDB',
  redis: 'PostgreSQL, log in Redis',
  workers: '… and runs on a BullMQ worker',
});

/** @param {number | undefined} value */
function figure(value) {
  if (value === undefined) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

/** How many times better ours is; of times and sizes less is better. @param {Row} row @param {'official' | 'bare'} other */
function ratio({ values, unit }, other) {
  const theirs = values[other];
  if (theirs === undefined || values.ours === undefined) return '–';
  return `${figure(unit.endsWith('/s') ? values.ours / theirs : theirs / values.ours)} ×`;
}

/** @param {Row[]} rows */
function comparison(rows) {
  const lines = rows.map((row) => [
    `${row.title}${row.note ? ` (${row.note})` : ''}`,
    row.unit,
    figure(row.values.ours),
    figure(row.values.official),
    figure(row.values.bare),
    ratio(row, 'official'),
    ratio(row, 'bare'),
  ]);
  const head = ['', 'unit', 'nest-a2a', '@a2a-js/sdk 1.3.0', 'bare Fastify', 'to the SDK', 'to bare Fastify'];
  return table(head, lines);
}

/** @param {BackingRow[]} rows */
function backings(rows) {
  const names = /** @type {BackingName[]} */ (Object.keys(BACKINGS));
  const lines = rows.map(({ title, unit, backings: figures }) => [
    title,
    unit,
    ...names.map((name) => figure(figures[name])),
  ]);
  return table(['', 'unit', ...Object.values(BACKINGS)], lines);
}

/** @param {GuardRow[]} rows */
function guarded(rows) {
  const lines = rows.map(({ title, unit, guards: { none, cached, uncached } }) => {
    /** @param {number} rate */
    const less = (rate) => `${figure(rate)} (${((1 - rate / none) * 100).toFixed(1)} % less)`;
    return [title, unit, figure(none), less(cached), less(uncached)];
  });
  return table(['', 'unit', 'unguarded', 'bearer JWT, ES256', 'the same, every token verified anew'], lines);
}

/** @param {string[]} head @param {string[][]} lines */
function table(head, lines) {
  const rule = head.map((_, i) => (i < 2 ? '---' : '--:'));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The tables of the rows, by the name of their place in the page. @param {AnyRow[]} rows */
function named(rows) {
  const compared = rows.filter((row) => 'values' in row);
  const kept = rows.filter((row) => 'backings' in row);
  const guards = rows.filter((row) => 'guards' in row);
  return {
    ...(compared.length > 0 && { bench: comparison(compared) }),
    ...(guards.length > 0 && { 'bench:guards': guarded(guards) }),
    ...(kept.length > 0 && { 'bench:backings': backings(kept) }),
  };
}

/** @param {AnyRow[]} rows */
export function tables(rows) {
  return Object.values(named(rows));
}

export function machine() {
  const [cpu] = cpus();
  return `Node ${process.version}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${process.platform}.`;
}

/** Replaces what is between the markers of the page. @param {AnyRow[]} rows */
export async function writePage(rows) {
  let page = await readFile(PAGE, 'utf8');
  for (const [name, text] of Object.entries(named(rows))) {
    const begin = `<!-- ${name}:begin -->`;
    const from = page.indexOf(begin);
    const to = page.indexOf(`<!-- ${name}:end -->`);
    if (from < 0 || to < from) throw new Error(`docs/performance.md has lost its markers ${begin} … end`);
    page = `${page.slice(0, from)}${begin}\n\n${machine()}\n\n${text}\n\n${page.slice(to)}`;
  }
  await writeFile(PAGE, page);
}
