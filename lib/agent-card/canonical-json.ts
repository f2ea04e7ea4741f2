/**
 * The one text of a JSON value (RFC 8785, JCS): members in the order of their UTF-16 code units, numbers as ECMAScript writes them, no
 * white space. Signatures are made over its UTF-8.
 *
 * Ours, since it is these few lines, and the maintained line of the package that does the same asks for Node 22.
 *
 * @throws TypeError for what has no such text: numbers that are not finite, lone surrogates, values that are not JSON.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return stringText(value);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`A ${typeof value} is no JSON value`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${stringText(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} is no JSON number`);
  return JSON.stringify(value);
}

function stringText(value: string): string {
  if (/\p{Surrogate}/u.test(value)) throw new TypeError('A text with a lone surrogate has no canonical form');
  return JSON.stringify(value);
}
