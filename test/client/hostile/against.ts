import type { StreamResponse } from 'nest-a2a';
import type { A2AClient, A2AClientOptions, ClientBinding } from 'nest-a2a/client';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { HostileAgent, type Exchange } from '../../support/hostile-agent.js';
import { frames, taskEvent, wrap } from '../../support/hostile-events.js';
import { clientOf, text } from '../clients.js';

/** A hostile agent, and clients that speak one binding with it. */
export interface Hostile {
  readonly binding: ClientBinding;
  readonly agent: HostileAgent;
  /** A client that is closed after the test. */
  client(options?: A2AClientOptions): A2AClient;
}

/** Runs the same tests over both bindings. Whatever a test did, no connection is left once its clients are closed. */
export function against(name: string, tests: (hostile: Hostile) => void): void {
  const bindings: readonly ClientBinding[] = ['JSONRPC', 'HTTP+JSON'];
  describe.each(bindings)(`${name}, over %s`, (binding) => {
    let agent: HostileAgent;
    const clients: A2AClient[] = [];

    beforeAll(async () => {
      agent = await HostileAgent.start();
    });
    afterAll(() => agent.close());
    afterEach(async () => {
      await Promise.all(clients.splice(0).map((client) => client.close()));
      await expect.poll(() => agent.open).toBe(0);
    });

    tests({
      binding,
      get agent() {
        return agent;
      },
      client: (options) => {
        const client = clientOf(agent.base, binding, options);
        clients.push(client);
        return client;
      },
    });
  });
}

export const SEND = text('anything');

/** All events of a stream, up to its end. */
export async function eventsOf(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** An answer to SendMessage: a finished task. */
export function finished({ request }: Exchange): unknown {
  return wrap(request, taskEvent('TASK_STATE_COMPLETED'));
}

/** An honest stream of these events. */
export function streamOf(...events: StreamResponse[]) {
  return async (exchange: Exchange): Promise<void> => {
    await exchange.stream();
    await exchange.write(frames(exchange.request, events));
    exchange.end();
  };
}
