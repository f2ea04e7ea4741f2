import type { ServerResponse } from 'node:http';
import { bearer, clientCredentials, createA2AClient } from 'nest-a2a/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_BINDINGS } from '../clients.js';
import { AuthorizationServer, CLIENT } from './support/authorization-server.js';
import { startOAuthAgent } from './support/oauth-agent.js';
import { answerTask, refuse } from './support/recording-agent.js';

let server: AuthorizationServer;
let agent: Awaited<ReturnType<typeof startOAuthAgent>>;
beforeEach(async () => {
  server = await AuthorizationServer.start();
  agent = await startOAuthAgent(server);
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Begins a stream, and breaks it off. */
function breakOff(body: string, response: ServerResponse): void {
  const { id } = (body ? JSON.parse(body) : {}) as { id?: number };
  const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
  const event = id === undefined ? { task } : { jsonrpc: '2.0', id, result: { task } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`id: 1\ndata: ${JSON.stringify(event)}\n\n`, () => response.destroy());
}

describe.each(CLIENT_BINDINGS)('a stream over %s whose connection breaks', (binding) => {
  const tokensOf = () => agent.calls.map(({ headers }) => headers.authorization);
  const follow = async (client: ReturnType<typeof createA2AClient>) => {
    const states: (string | undefined)[] = [];
    for await (const { task, statusUpdate } of client.subscribeToTask({ id: 't1' })) {
      states.push((task ?? statusUpdate)?.status.state);
    }
    await client.close();
    return states;
  };
  const resume = { initialDelayMs: 1 };

  it('goes on with a new token when the one that it began with has expired', async () => {
    server.expiresIn = 0;
    agent.instead = (request, response) =>
      agent.calls.length === 1 ? breakOff(request.body, response) : answerTask(request, response);
    const oauth = clientCredentials({ ...CLIENT, issuer: server.issuer });
    const client = createA2AClient(agent.base, { bindings: [binding], credentials: { oauth }, resume });
    expect((await follow(client)).at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(tokensOf()).toEqual(server.issued.map((token) => `Bearer ${token}`));
    expect(server.issued).toHaveLength(2);
  });

  it('goes on with a new token when the one that it began with is refused', async () => {
    let current = 1;
    agent.instead = (request, response) => {
      if (agent.calls.length === 1) return breakOff(request.body, response);
      if (request.headers.authorization === 'Bearer token-1') return refuse(response);
      answerTask(request, response);
    };
    const oauth = bearer(({ refused }) => `token-${refused ? (current += 1) : current}`);
    const client = createA2AClient(agent.base, { bindings: [binding], credentials: { oauth }, resume });
    expect((await follow(client)).at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(tokensOf()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });
});
