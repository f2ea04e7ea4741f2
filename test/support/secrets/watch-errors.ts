import { look } from './leaks.js';

/**
 * Looks at what errors say, whether or not somebody tells of them. Classes extend what they find when they are defined, so this comes before the
 * modules of the library.
 */
function watched<T extends ErrorConstructor>(type: T): T {
  return new Proxy(type, {
    construct(target, values: unknown[], subclass) {
      look('error', values.filter((value) => typeof value === 'string').join('\n'));
      return Reflect.construct(target, values, subclass) as Error;
    },
  });
}

globalThis.Error = watched(Error);
globalThis.TypeError = watched(TypeError);
globalThis.RangeError = watched(RangeError);
