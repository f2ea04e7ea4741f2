/** A media type (RFC 9110 §8.3.1). Names are in lower case, a parameter's value is as it was written. */
export interface MediaType {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const ESSENCE = new RegExp(`^\\s*(${TOKEN})/(${TOKEN})\\s*`);
const PARAMETER = new RegExp(`;\\s*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")\\s*)?`, 'y');

/** Reads a media type or a range such as `image/*`; undefined if it is neither. */
export function parseMediaType(text: string): MediaType | undefined {
  const essence = ESSENCE.exec(text);
  if (!essence) return undefined;
  const [start, type = '', subtype = ''] = essence;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = start.length;
  while (PARAMETER.lastIndex < text.length) {
    const match = PARAMETER.exec(text);
    if (!match) return undefined;
    const [, name, token, quoted = ''] = match;
    if (name) parameters.set(name.toLowerCase(), token ?? quoted.replace(/\\(.)/g, '$1'));
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters };
}

/**
 * Whether one of the modes takes a media type. A mode may be a range such as `image/*`; its parameters, if it has any,
 * must be there, while further ones do not matter. Upper and lower case are the same. No modes at all is no
 * restriction. What is no media type is taken by the range of everything alone.
 */
export function accepts(modes: readonly string[], mediaType: string): boolean {
  if (modes.length === 0) return true;
  const given = parseMediaType(mediaType);
  return modes.some((mode) => {
    const range = parseMediaType(mode);
    if (!range) return false;
    if (range.type === '*' && range.subtype === '*') return true;
    return given !== undefined && includes(range, given);
  });
}

function includes(range: MediaType, given: MediaType): boolean {
  if (range.type !== given.type) return false;
  if (range.subtype !== '*' && range.subtype !== given.subtype) return false;
  return [...range.parameters].every(
    ([name, value]) => given.parameters.get(name)?.toLowerCase() === value.toLowerCase(),
  );
}
