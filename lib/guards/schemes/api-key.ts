import type { CredentialSource, GuardedScheme } from '../../interfaces/security.js';
import type { APIKeySecurityScheme } from '../../protocol/model.js';
import { validated, type ValidatedUser } from './validated.js';

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const MAX_KEY = 4_096;

export interface ApiKeyOptions {
  /** Keys in a query end up in logs of proxies: prefer a header. */
  readonly in: 'header' | 'query' | 'cookie';
  /** Name of the header, the query parameter or the cookie. */
  readonly name: string;
  readonly description?: string;
  /** Tells whose key it is. Look keys up by their hash, or compare them with `safeEqual()`. */
  readonly validate: (key: string, source: CredentialSource) => ValidatedUser | Promise<ValidatedUser>;
}

/**
 * A scheme with API keys.
 *
 * @throws TypeError when the name cannot be that of a header, parameter or cookie.
 * @publicApi
 */
export function apiKey({ in: location, name, description, validate }: ApiKeyOptions): GuardedScheme {
  if (!TOKEN.test(name))
    throw new TypeError('apiKey(): the name has characters that no header or cookie can have');
  return {
    scheme: { apiKeySecurityScheme: { location, name, ...(description !== undefined && { description }) } },
    guard: {
      authenticate: async (source) => {
        const key = readApiKey(source, { location, name });
        if (!key) return { kind: 'absent' };
        if (key.length > MAX_KEY) return { kind: 'refused', reason: 'too-long' };
        return validated(() => validate(key, source));
      },
    },
  };
}

/** The key of a request, where the card says that it is. */
export function readApiKey(
  source: CredentialSource,
  { location, name }: APIKeySecurityScheme,
): string | undefined {
  const reader = Object.hasOwn(READERS, location) ? READERS[location] : undefined;
  return reader?.(source, name);
}

type Reader = (source: CredentialSource, name: string) => string | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  header: ({ headers }, name) => headers[name.toLowerCase()]?.toString(),
  query: ({ url }, name) => {
    const mark = url.indexOf('?');
    const values = mark < 0 ? [] : new URLSearchParams(url.slice(mark)).getAll(name);
    return single(values);
  },
  cookie: ({ headers }, name) => {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    return single(
      pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1)),
    );
  },
};

/** Of two keys nobody knows which is meant, so they are as wrong as a wrong one; a comma cannot be part of a key from a header either. */
function single(values: readonly string[]): string | undefined {
  return values.length > 1 ? values.join(', ') : values[0];
}
