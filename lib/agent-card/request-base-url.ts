import type { IncomingHttpHeaders } from 'node:http';

/** What is needed of a request to say how its sender reached us. */
export interface ReachedAt {
  readonly headers: IncomingHttpHeaders;
  readonly socket: {
    readonly encrypted?: boolean;
    readonly localAddress?: string | undefined;
    readonly localPort?: number | undefined;
  };
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const PREFIX = /^(?:\/[a-z0-9._~-]+)+\/?$/i;

/**
 * The base URL under which a request reached this application, for apps without `publicUrl`. `X-Forwarded-Proto`,
 * `-Host` and `-Prefix` count only when they are trusted; what is no host name is replaced by the socket's address.
 */
export function requestBaseUrl({ headers, socket }: ReachedAt, trustForwarded: boolean): string {
  const forwarded = (name: string) => (trustForwarded ? first(headers[`x-forwarded-${name}`]) : undefined);
  const named = forwarded('host') ?? first(headers[':authority'] ?? headers.host);
  const host = named !== undefined && HOST.test(named) ? named : addressOf(socket);
  const proto = forwarded('proto')?.toLowerCase();
  const scheme = proto === 'https' || proto === 'http' ? proto : socket.encrypted ? 'https' : 'http';
  const prefix = forwarded('prefix') ?? '';
  return `${scheme}://${host}${PREFIX.test(prefix) ? prefix.replace(/\/$/, '') : ''}`;
}

/** Every proxy appends its own value; the first is the one that the client saw. */
function first(header: string | string[] | undefined): string | undefined {
  const [value] = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
  return value?.trim() || undefined;
}

function addressOf({ localAddress = 'localhost', localPort = 80 }: ReachedAt['socket']): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
