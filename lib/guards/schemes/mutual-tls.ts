import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { CredentialSource, GuardedScheme, SchemeOutcome } from '../../interfaces/security.js';
import { ProxyCertificate, type TrustedProxyOptions } from './proxy-certificate.js';
import { validated, type ValidatedUser } from './validated.js';

export interface MutualTlsOptions {
  readonly description?: string;
  /** Tells who owns a certificate that has been verified. Default: its subject is the user's id. */
  readonly validate?: (certificate: X509Certificate) => ValidatedUser | Promise<ValidatedUser>;
  /** Where TLS ends at a proxy, which passes the certificate on in a header. Without it such headers mean nothing. */
  readonly trustProxyHeader?: TrustedProxyOptions;
}

/**
 * A scheme with client certificates: of the TLS connection itself, whose server needs `requestCert` and the `ca` of the
 * clients, or from a trusted proxy's header.
 *
 * @throws TypeError when an address of the proxies is none.
 * @publicApi
 */
export function mutualTls(options: MutualTlsOptions = {}): GuardedScheme {
  const { description, validate = ownerOf, trustProxyHeader } = options;
  const proxy = trustProxyHeader && new ProxyCertificate(trustProxyHeader);
  return {
    scheme: { mtlsSecurityScheme: { ...(description !== undefined && { description }) } },
    guard: {
      authenticate: async (source) => {
        const found = fromSocket(source) ?? proxy?.find(source) ?? ABSENT;
        if ('kind' in found) return found;
        return validated(() => validate(found));
      },
    },
  };
}

const ABSENT: SchemeOutcome = { kind: 'absent' };

/** The certificate of the connection; undefined when there is none. */
function fromSocket({ socket }: CredentialSource): X509Certificate | SchemeOutcome | undefined {
  const { encrypted, authorized, getPeerX509Certificate } = socket as Partial<TLSSocket>;
  const certificate = encrypted ? getPeerX509Certificate?.call(socket as TLSSocket) : undefined;
  if (!certificate) return undefined;
  return authorized === true ? certificate : { kind: 'refused', reason: 'certificate' };
}

function ownerOf({
  subject,
  issuer,
  fingerprint256,
  serialNumber,
  subjectAltName,
}: X509Certificate): ValidatedUser {
  if (!subject) return null;
  return {
    id: subject.split('\n').join(', '),
    claims: { issuer: issuer.split('\n').join(', '), fingerprint256, serialNumber, subjectAltName },
  };
}
