import { AgentCard } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  ServiceParameters,
  withA2AExtensions,
} from '@a2a-js/sdk/client';
import { ExtensionSupportRequiredError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { expect, it } from 'vitest';
import { onEveryWire, type Wire } from './on-every-wire.js';
import { collect, listing, send, sendForTask, state, textOf } from './sdk.js';

const DECLARED = 'https://example.com/declared';
const REQUIRED = 'https://example.com/required';

/** A client whose fetch remembers the headers of the last exchange. */
async function listening(wire: Wire) {
  const heard: { sent?: Headers; received?: Headers } = {};
  const client = await wire.connect({
    fetchImpl: async (url, init) => {
      const response = await fetch(url, init);
      Object.assign(heard, { sent: new Headers(init?.headers), received: response.headers });
      return response;
    },
  });
  return { client, heard };
}

onEveryWire('headers', { EXTENSIONS: DECLARED }, (wire) => {
  it('name version 1.0 in every request', async () => {
    const { client, heard } = await listening(wire);
    await client.listTasks(listing());
    expect(heard.sent?.get('a2a-version')).toBe('1.0');
  });

  it('activate the extensions that both sides know, in answers and streams', async () => {
    const { client, heard } = await listening(wire);
    const options = {
      serviceParameters: ServiceParameters.create(withA2AExtensions(DECLARED, 'https://example.com/other')),
    };
    const answer = await client.sendMessage(send('whoami'), options);
    if (!('status' in answer)) throw new Error('no task');
    expect(JSON.parse(textOf(answer.artifacts[0]))).toMatchObject({ extensions: [DECLARED] });
    expect(heard.received?.get('a2a-extensions')).toBe(DECLARED);
    await collect(client.sendMessageStream(send('quick'), options));
    expect(heard.received?.get('a2a-extensions')).toBe(DECLARED);
    await client.sendMessage(send('quick'));
    expect(heard.received?.get('a2a-extensions')).toBeNull();
  });

  it('answer HTTP+JSON in the type that the client accepts first', async () => {
    const { client, heard } = await listening(wire);
    await client.listTasks(listing());
    const type = wire.binding === 'JSONRPC' ? 'application/json' : 'application/a2a+json';
    expect(heard.received?.get('content-type')?.split(';')[0]).toBe(type);
  });
});

onEveryWire('a required extension', { EXTENSIONS: `!${REQUIRED}` }, (wire) => {
  it('must be named by the client', async () => {
    await expect(wire.client.sendMessage(send('quick'))).rejects.toBeInstanceOf(
      ExtensionSupportRequiredError,
    );
    const serviceParameters = ServiceParameters.create(withA2AExtensions(REQUIRED));
    const answer = await wire.client.sendMessage(send('quick'), { serviceParameters });
    expect('status' in answer && state(answer)).toBe('COMPLETED');
  });
});

onEveryWire('tenants', {}, (wire) => {
  /** A client for a card whose interfaces name a tenant: it adds the tenant to every request by itself. */
  async function tenantOf(tenant: string): Promise<Client> {
    const card = AgentCard.fromJSON(await new DefaultAgentCardResolver().resolve(wire.base));
    for (const face of card.supportedInterfaces) face.tenant = tenant;
    const preferredTransports = [wire.binding];
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports });
    return new ClientFactory(options).createFromAgentCard(card);
  }

  it('reach the executor, by request and by the card', async () => {
    const named = await sendForTask(wire.client, 'whoami', { tenant: 'acme' });
    const declared = await sendForTask(await tenantOf('acme/ü b'), 'whoami');
    expect(JSON.parse(textOf(named.artifacts[0]))).toMatchObject({ tenant: 'acme' });
    expect(JSON.parse(textOf(declared.artifacts[0]))).toMatchObject({ tenant: 'acme/ü b' });
  });

  it('see their own tasks only, in every operation', async () => {
    const acme = await tenantOf('acme');
    const rival = await tenantOf('rival');
    const parked = await sendForTask(acme, 'park');
    const request = { tenant: '', id: parked.id, metadata: undefined };
    for (const stranger of [rival, wire.client]) {
      await expect(stranger.getTask(request)).rejects.toBeInstanceOf(TaskNotFoundError);
      await expect(stranger.cancelTask(request)).rejects.toBeInstanceOf(TaskNotFoundError);
      await expect(collect(stranger.resubscribeTask(request))).rejects.toBeInstanceOf(TaskNotFoundError);
      const ids = (await stranger.listTasks(listing({ contextId: parked.contextId }))).tasks;
      expect(ids).toEqual([]);
    }
    const reader = acme.resubscribeTask(request);
    await reader.next();
    const { tasks } = await acme.listTasks(listing({ contextId: parked.contextId }));
    expect(tasks.map(({ id }) => id)).toEqual([parked.id]);
    expect(state(await acme.cancelTask(request))).toBe('CANCELED');
    expect((await collect(reader)).length).toBeGreaterThan(0);
  });
});
