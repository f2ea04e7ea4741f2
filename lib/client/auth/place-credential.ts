import { isHeaderValue, isHttpToken } from '../../protocol/header-value.js';
import type { APIKeySecurityScheme, SecurityScheme } from '../../protocol/model.js';
import { UnusableCredentialError } from './credential-errors.js';
import { isBasic } from './credential-kinds.js';
import type { Secret } from './secret.js';

/** Headers that are about the message and its way, and no place for keys, whatever a card says. */
const NO_PLACE =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept.*|a2a-.*|last-event-id|traceparent|tracestate|cookie|proxy-.*|x-forwarded-.*|forwarded)$/;

/** Of RFC 6265 §4.1.1. */
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;

/** Where credentials are put. */
export interface Places {
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly query: Record<string, string>;
}

/**
 * Puts a credential where the scheme says.
 *
 * @param name of the scheme.
 * @throws UnusableCredentialError where the place that the card says or the credential's characters cannot be, or the place is taken.
 */
export function placeCredential(name: string, scheme: SecurityScheme, secret: Secret, places: Places): void {
  const refuse = (why: string): never => {
    throw new UnusableCredentialError(name, why);
  };
  const { apiKeySecurityScheme: apiKey, httpAuthSecurityScheme: http } = scheme;
  if (apiKey) return placeKey(apiKey, secret.reveal(), places, refuse);
  setHeader(
    'authorization',
    authorization(http?.scheme ?? 'Bearer', secret.reveal(), refuse),
    places,
    refuse,
  );
}

type Refuse = (why: string) => never;

function authorization(scheme: string, value: string, refuse: Refuse): string {
  if (isBasic(scheme)) return `Basic ${Buffer.from(value, 'utf8').toString('base64')}`;
  if (!isHttpToken(scheme)) refuse('the card names a scheme that HTTP does not allow');
  if (!/^[\x21-\x7e]+$/.test(value)) refuse('it has characters that tokens cannot have');
  // The names have no case, but not every peer knows.
  return `${scheme.toLowerCase() === 'bearer' ? 'Bearer' : scheme} ${value}`;
}

function placeKey(scheme: APIKeySecurityScheme, key: string, places: Places, refuse: Refuse): void {
  switch (scheme.location) {
    case 'header': {
      const header = scheme.name.toLowerCase();
      if (!isHttpToken(header) || NO_PLACE.test(header))
        refuse('the card names a header that is no place for keys');
      return setHeader(header, key, places, refuse);
    }
    case 'query':
      return set(places.query, scheme.name, key, refuse);
    case 'cookie':
      if (!isHttpToken(scheme.name)) refuse('the card names a cookie that HTTP does not allow');
      if (!COOKIE_VALUE.test(key)) refuse('it has characters that cookies cannot have');
      // Cookies share one header.
      places.headers['cookie'] = [places.headers['cookie'] ?? [], `${scheme.name}=${key}`].flat().join('; ');
      return;
    default:
      refuse('the card names a place for keys that is not header, query or cookie');
  }
}

function setHeader(name: string, value: string, { headers }: Places, refuse: Refuse): void {
  if (!isHeaderValue(value) || value.trim() !== value) refuse('it has characters that headers cannot have');
  set(headers, name, value, refuse);
}

function set(values: Record<string, string>, name: string, value: string, refuse: Refuse): void {
  if (Object.hasOwn(values, name) && values[name] !== value) {
    refuse('another credential of the same call needs the same place');
  }
  values[name] = value;
}
