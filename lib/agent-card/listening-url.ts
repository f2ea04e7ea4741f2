import type { AddressInfo } from 'node:net';
import type { HttpAdapterHost } from '@nestjs/core';

/** Where the application listens, for those who ask without a request; undefined until it does. */
export function listeningUrl({ httpAdapter }: HttpAdapterHost): string | undefined {
  const server = httpAdapter?.getHttpServer() as { address?(): AddressInfo | string | null } | undefined;
  const address = server?.address?.();
  if (!address || typeof address === 'string') return undefined;
  const scheme = 'setSecureContext' in server! ? 'https' : 'http';
  return `${scheme}://${hostOf(address)}:${address.port}`;
}

function hostOf({ address }: AddressInfo): string {
  if (address === '::' || address === '0.0.0.0') return '127.0.0.1';
  return address.includes(':') ? `[${address}]` : address;
}
