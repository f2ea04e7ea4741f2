import ipaddr from 'ipaddr.js';

/** The only part of IPv6 that is given out for the public internet; what maps, translates or tunnels IPv4 from elsewhere is beside it. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

/** Parts of it that are not public: protocol assignments (Teredo, ORCHID …), documentation, 6to4. */
const EXCEPT = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((cidr) =>
  ipaddr.IPv6.parseCIDR(cidr),
);

/** Special parts of IPv4 that stand beside private, loopback and the like. */
const EXCEPT_V4 = [
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));

/** Whether an IP address, in plain notation, is one of the public internet. What is none is not. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv4') {
    return address.range() === 'unicast' && !EXCEPT_V4.some((range) => address.match(range));
  }
  if (!address.match(GLOBAL) || (address as ipaddr.IPv6).zoneId) return false;
  return address.range() === 'unicast' && !EXCEPT.some((range) => address.match(range));
}
