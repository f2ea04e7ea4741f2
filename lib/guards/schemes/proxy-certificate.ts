import { X509Certificate } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import type { CredentialSource, SchemeOutcome } from '../../interfaces/security.js';

const MAX_HEADER = 32 * 1_024;

export interface TrustedProxyOptions {
  /** Header with the verified certificate: percent-encoded PEM, as of nginx and AWS, or `:base64:` as of RFC 9440. The proxy must set it anew. */
  readonly header: string;
  /** Addresses of the proxies, or networks as in `10.0.0.0/8`: from all others the header means nothing. */
  readonly from: readonly string[];
  /** A header in which the proxy says that it verified the certificate, and what it must be, as in nginx `SUCCESS`. */
  readonly verified?: { readonly header: string; readonly value: string };
}

/** The client's certificate as a trusted proxy passes it on. */
export class ProxyCertificate {
  readonly #proxies = new BlockList();
  readonly #header: string;

  /** Throws TypeError when an address is none. */
  constructor(private readonly options: TrustedProxyOptions) {
    this.#header = options.header.toLowerCase();
    for (const network of options.from) addTo(this.#proxies, network);
  }

  /** Undefined when there is none, or it is not from a proxy that is trusted. */
  find({ headers, socket }: CredentialSource): X509Certificate | SchemeOutcome | undefined {
    const value = headers[this.#header];
    if (value === undefined || value === '' || !this.#trusts(socket.remoteAddress)) return undefined;
    const { verified } = this.options;
    if (verified && headers[verified.header.toLowerCase()] !== verified.value) return REFUSED;
    return typeof value === 'string' ? parse(value) : REFUSED;
  }

  #trusts(address: string | undefined): boolean {
    const plain = address?.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
    const version = isIP(plain ?? '');
    return (
      plain !== undefined && version !== 0 && this.#proxies.check(plain, version === 4 ? 'ipv4' : 'ipv6')
    );
  }
}

const REFUSED: SchemeOutcome = { kind: 'refused', reason: 'certificate' };

/** The proxy checked the chain; the time is checked here too, as a connection may outlive a certificate. */
function parse(value: string): X509Certificate | SchemeOutcome {
  if (value.length > MAX_HEADER) return REFUSED;
  try {
    const base64 = /^:([A-Za-z0-9+/=]+):$/.exec(value)?.[1];
    const certificate = new X509Certificate(
      base64 ? Buffer.from(base64, 'base64') : decodeURIComponent(value),
    );
    const now = Date.now();
    const inTime = Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
    return inTime ? certificate : { kind: 'refused', reason: 'expired' };
  } catch {
    return REFUSED;
  }
}

function addTo(list: BlockList, network: string): void {
  const [address = '', bits, more] = network.split('/');
  const version = isIP(address);
  const size = version === 4 ? 32 : 128;
  const length = bits === undefined ? size : Number(bits);
  const isLength = bits === undefined || (/^\d+$/.test(bits) && length <= size);
  if (version === 0 || more !== undefined || !isLength) {
    throw new TypeError(`mutualTls(): ${JSON.stringify(network)} is no address or network of a proxy`);
  }
  list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
}
