import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createA2AClient, HttpPool, TransportError, type ClientTlsOptions } from 'nest-a2a/client';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pem } from '../../guards/support/certificates.js';
import { cardWith, TASK } from '../peer.js';

const callers: string[] = [];
const server = createServer(
  { key: pem('server.key'), cert: pem('server'), ca: pem('ca'), requestCert: true },
  (request, response) => {
    callers.push((request.socket as TLSSocket).getPeerCertificate().subject.CN as string);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(TASK));
  },
);

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function getTask(tls?: ClientTlsOptions) {
  const card = cardWith([['HTTP+JSON', `https://127.0.0.1:${(server.address() as AddressInfo).port}`]]);
  const client = createA2AClient({ card }, { retry: { attempts: 1 }, ...(tls && { tls }) });
  try {
    return await client.getTask({ id: 't1' });
  } finally {
    await client.close();
  }
}

describe('TLS of a client', () => {
  it('shows a certificate to a peer that asks for one', async () => {
    expect(await getTask({ ca: pem('ca'), key: pem('ann.key'), cert: pem('ann') })).toEqual(TASK);
    expect(callers).toEqual(['ann']);
  });

  it('is refused by the peer without one, and refuses a peer that nobody vouches for', async () => {
    await expect(getTask({ ca: pem('ca') })).rejects.toBeInstanceOf(TransportError);
    const stranger = getTask();
    await expect(stranger).rejects.toMatchObject({ name: 'TransportError', requestSent: false });
    expect(callers).toEqual(['ann']);
  });

  it('is not given beside connections of others', () => {
    expect(() => new HttpPool({ tls: { ca: pem('ca') }, dispatcher: new Agent() })).toThrow('Give one of');
  });
});
