import { readFileSync } from 'node:fs';

/** A certificate, or with `.key` its key, of those made for tests only. */
export function pem(name: string): string {
  const file = name.endsWith('.key') ? name : `${name}.pem`;
  return readFileSync(new URL(`certificates/${file}`, import.meta.url), 'utf8');
}
