import fc from 'fast-check';
import { type Json, junk, key } from './junk.js';

/** One change to a JSON tree. `at` picks the place: any number will do. */
export interface Mutation {
  readonly at: number;
  readonly how: 'replace' | 'delete' | 'rename' | 'copy' | 'wrap';
  readonly value: Json;
  readonly key: string;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'replace', 'replace', 'delete', 'rename', 'copy', 'wrap'),
  value: junk,
  key,
});

interface Place {
  readonly holder: Record<string, Json>;
  readonly name: string;
}

/** The tree with the changes; the tree itself stays as it is. */
export function mutate(tree: Json, mutations: readonly Mutation[]): Json {
  const root: Record<string, Json> = { root: structuredClone(tree) };
  for (const change of mutations) {
    const places = placesIn(root);
    const place = places[change.at % places.length];
    // A copy: later changes may go into the value, and shrinking wants it as it was.
    if (place) apply(place, { ...change, value: structuredClone(change.value) });
  }
  return root['root'] ?? null;
}

function placesIn(holder: Record<string, Json>): Place[] {
  return Object.keys(holder).flatMap((name) => {
    const value = holder[name];
    const below = typeof value === 'object' && value !== null ? placesIn(value as Record<string, Json>) : [];
    return [{ holder, name }, ...below];
  });
}

function apply({ holder, name }: Place, { how, value, key: other }: Mutation): void {
  const old = holder[name] ?? null;
  switch (how) {
    case 'replace':
      return define(holder, name, value);
    case 'delete':
      return void delete holder[name];
    case 'rename':
      delete holder[name];
      return define(holder, other, old);
    case 'copy':
      return define(
        holder,
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      );
    case 'wrap':
      return define(holder, name, [old]);
  }
}

/** Assignment would take `__proto__` for something else than a name. Arrays take what has no number at their end. */
function define(holder: object, name: string, value: Json): void {
  const at = Array.isArray(holder) && !/^\d{1,3}$/.test(name) ? String(holder.length) : name;
  Object.defineProperty(holder, at, { value, enumerable: true, configurable: true, writable: true });
}
