import { secretsIn } from './known-secrets.js';

/** Where a secret may be found. */
export type Place = 'output' | 'log' | 'error' | 'answer' | 'store';

const leaks: string[] = [];
const allowed: { readonly place: Place; readonly secret: string }[] = [];

/** Looks for known secrets in a text. What is found fails the test that runs, or the file when none does. */
export function look(place: Place, text: string): void {
  const others = allowed.reduce(
    (rest, exception) => (exception.place === place ? rest.replaceAll(exception.secret, '') : rest),
    text,
  );
  for (const found of secretsIn(others)) leaks.push(`${place}: ${found}`);
}

/** The same for a value that is kept or sent as JSON. */
export function lookInto(place: Place, value: unknown): void {
  look(place, JSON.stringify(value) ?? '');
}

/** What was found since the last time. */
export function takeLeaks(): readonly string[] {
  return leaks.splice(0);
}

/**
 * From here to the end of the file, this very secret may be in that place, as it is.
 * @param _reason why that is right.
 */
export function allowPlainSecret(place: Place, secret: string, _reason: string): void {
  if (secretsIn(secret).length === 0) throw new Error(`${secret} is no known secret`);
  allowed.push({ place, secret });
}
