import { isIP } from 'node:net';
import { UnsafeUrlError } from '../interfaces/url-guard.js';
import { isPublicAddress } from './is-public-address.js';

/** Names that lead into a machine or a network by definition (RFC 6761, RFC 6762, RFC 8375, and what networks use). */
const LOCAL =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|arpa|onion|invalid|test)$/;

const MAX_LENGTH = 2_048;

/** What can be said of a URL without asking a resolver. */
export interface CheckedUrl {
  readonly url: URL;
  /** An address or a name, without brackets and final dot. */
  readonly host: string;
  /** Named in the allow-list: its addresses are not looked at. */
  readonly allowed: boolean;
}

/**
 * Reads a URL as every HTTP client does (decimal and hexadecimal addresses become plain ones) and refuses what is not to be fetched.
 * @param allow hosts as {@link allowedHosts} makes them.
 * @throws UnsafeUrlError
 */
export function checkUrlText(text: string, allow: ReadonlySet<string>): CheckedUrl {
  // Clients strip these, so a URL with one is not what it looks like.
  const isSuspect = text.length > MAX_LENGTH || /[^\x21-\x5b\x5d-\x7e\u0080-\uffff]/.test(text);
  const url = isSuspect ? undefined : parse(text);
  if (!url) throw new UnsafeUrlError('is not an absolute URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new UnsafeUrlError('is not http or https');
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(text)) {
    throw new UnsafeUrlError('holds credentials');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const allowed = allow.has(url.hostname) || allow.has(url.host);
  if (!allowed) checkHost(host);
  return { url, host, allowed };
}

/** Throws TypeError for an entry that is no host. */
export function allowedHosts(entries: readonly string[]): Set<string> {
  return new Set(
    entries.map((entry) => {
      const url = URL.canParse(`http://${entry}`) ? new URL(`http://${entry}`) : undefined;
      if (!url || url.pathname !== '/' || url.username || url.search || url.hash) {
        throw new TypeError(
          `${JSON.stringify(entry)} is no host: name one as it stands in a URL, as in "localhost"`,
        );
      }
      return url.host;
    }),
  );
}

/** Once: to ask first whether it can be parsed would do it twice. */
function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function checkHost(host: string): void {
  if (isIP(host)) {
    if (!isPublicAddress(host)) throw new UnsafeUrlError('leads to an address that is not public');
  } else if (!host.includes('.') || host.endsWith('.') || LOCAL.test(host)) {
    throw new UnsafeUrlError('leads to a name that is not public');
  }
}
