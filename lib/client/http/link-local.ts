import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UnsafeUrlError } from '../../interfaces/url-guard.js';

/** Where clouds answer with credentials of the machine, and where no agent is ever found. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');

/** Throws UnsafeUrlError for a URL that is not http or https, or whose host is a link-local address. */
export function refuseUnsafe({ protocol, hostname }: URL): void {
  if (protocol !== 'https:' && protocol !== 'http:') throw new UnsafeUrlError('is not http or https');
  if (isLinkLocal(hostname.replace(/^\[|\]$/g, ''))) throw refusal();
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
