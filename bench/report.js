// @ts-check
// Turns rows into a table, and puts it into docs/performance.md.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';

/** @typedef {import('./rows.js').Row} Row */

const PAGE = new URL('../docs/performance.md', import.meta.url);
const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

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
export function table(rows) {
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
  const rule = head.map((_, i) => (i < 2 ? '---' : '--:'));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function machine() {
  const [cpu] = cpus();
  return `Node ${process.version}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${process.platform}.`;
}

/** Replaces what is between the markers of the page. @param {Row[]} rows */
export async function writePage(rows) {
  const page = await readFile(PAGE, 'utf8');
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`docs/performance.md has lost its markers ${BEGIN} and ${END}`);
  const measured = `${BEGIN}\n\n${machine()}\n\n${table(rows)}\n\n`;
  await writeFile(PAGE, page.slice(0, begin) + measured + page.slice(end));
}
