import type { Type } from '@nestjs/common';

/** What belongs to the class itself, as its constructor's types, and must not be taken over. */
const OWN = [
  /^design:/,
  /^self:/,
  /^optional:/,
  /^__(injectable|controller|pipes|exceptionFilters)__$/,
  /^scope:options$/,
];

/** Copies the metadata of one class to another, where the other has none of its own, so that a Reflector finds it there. */
export function carryMetadata(from: Type, to: Type): void {
  for (const key of Reflect.getMetadataKeys(from) as unknown[]) {
    if (Reflect.hasOwnMetadata(key, to)) continue;
    if (typeof key === 'string' && OWN.some((pattern) => pattern.test(key))) continue;
    Reflect.defineMetadata(key, Reflect.getMetadata(key, from), to);
  }
}
