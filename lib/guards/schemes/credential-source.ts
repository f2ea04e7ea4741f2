import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { CredentialSource } from '../../interfaces/security.js';

/** What is used of a request of Express or Fastify. */
interface PlatformRequest {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly originalUrl?: string;
  readonly socket: Socket;
  readonly raw?: { readonly socket: Socket; readonly url: string };
}

export function credentialSource(request: unknown): CredentialSource {
  const { headers, raw, url, originalUrl, socket } = request as PlatformRequest;
  return { headers, url: originalUrl ?? raw?.url ?? url, socket: raw?.socket ?? socket };
}

/** What follows the name of the scheme in the Authorization header; undefined when the header is another scheme's. */
export function authorizationOf({ headers }: CredentialSource, scheme: string): string | undefined {
  const [, name, credentials] = /^(\S+) +(\S+) *$/.exec(headers.authorization ?? '') ?? [];
  return name?.toLowerCase() === scheme.toLowerCase() ? credentials : undefined;
}
