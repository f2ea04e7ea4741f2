const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * An address of an identity provider: https, or on this machine.
 *
 * @throws TypeError
 */
export function trustedUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  const plain = url?.protocol === 'http:' && LOCAL.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !plain)) {
    throw new TypeError(`The URL of an identity provider must be https: ${url?.origin ?? 'it is no URL'}`);
  }
  return url;
}
