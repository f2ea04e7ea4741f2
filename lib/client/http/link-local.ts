import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UnsafeUrlError } from '../../interfaces/url-guard.js';

/** Where clouds answer with credentials of the machine, and where no agent is ever found. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');

/** Origins that were found good; a client knows few. */
const known = new Set<string>();
const MAX_KNOWN = 1_000;

/** Throws UnsafeUrlError for an origin that is not http or https, or whose host is a link-local address. */
export function refuseUnsafe(origin: string): void {
  if (known.has(origin)) return;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new UnsafeUrlError('is not http or https');
  if (isLinkLocal(url.hostname.replace(/^\[|\]$/g, ''))) throw refusal();
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(origin);
}

/** The system's resolver, which names no link-local address. */
export const safeLookup: LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, options, (error, address, family) => {
    const addresses = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
    if (!error && addresses.some(isLinkLocal)) callback(refusal(), '', 0);
    else callback(error, address, family);
  });
};

function isLinkLocal(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LINK_LOCAL.check(address.split('%', 1)[0]!, version === 4 ? 'ipv4' : 'ipv6');
}

function refusal(): UnsafeUrlError {
  return new UnsafeUrlError('leads to a link-local address');
}
