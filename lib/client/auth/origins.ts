const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The origin of a URL for http and https; undefined for everything else. */
export function originOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? origin : undefined;
}

/** Whether what is sent there is encrypted, or stays on this machine. */
export function isConfidential(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/**
 * Origins that an application names: https, or on this machine.
 * @param what the option, for the error.
 * @throws TypeError
 */
export function namedOrigins(entries: readonly string[], what: string): readonly string[] {
  return entries.map((entry) => {
    const origin = originOf(entry);
    if (origin === undefined || !isConfidential(origin) || new URL(entry).href !== `${origin}/`) {
      throw new TypeError(
        `${what} has ${JSON.stringify(entry)}, which is no origin with https (or of this machine), as in "https://billing.example"`,
      );
    }
    return origin;
  });
}
