import { setTimeout as sleep } from 'node:timers/promises';
import { PermissionDeniedError, UnauthenticatedError, type SecurityScheme } from 'nest-a2a';
import { bearer, createA2AClient, type Credential } from 'nest-a2a/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_BINDINGS } from '../clients.js';
import { answerTask, RecordingAgent, refuse } from './support/recording-agent.js';

const SCHEMES: Record<string, SecurityScheme> = {
  bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
};

let agent: RecordingAgent;
/** The one token that the agent takes. */
let accepted: string;
beforeEach(async () => {
  agent = await RecordingAgent.start({
    securitySchemes: SCHEMES,
    securityRequirements: [{ schemes: { bearer: {} } }],
  });
  accepted = 'token-1';
  agent.instead = (request, response) =>
    request.headers.authorization === `Bearer ${accepted}` ? answerTask(request, response) : refuse(response);
});
afterEach(() => agent[Symbol.asyncDispose]());

describe.each(CLIENT_BINDINGS)('a 401 over %s', (binding) => {
  const clientWith = (credential: Credential) =>
    createA2AClient(agent.base, { bindings: [binding], credentials: { bearer: credential } });

  /** A token that is got anew when it was refused. */
  function issuer() {
    let count = 1;
    const asked = { refused: 0 };
    const credential = bearer(async ({ refused }) => {
      if (refused) {
        asked.refused += 1;
        await new Promise((resolve) => setImmediate(resolve));
        count += 1;
        accepted = `token-${count}`;
      }
      return `token-${count}`;
    });
    return { asked, credential };
  }

  it('has the token renewed once for 50 calls, and each repeated once', async () => {
    const { asked, credential } = issuer();
    accepted = 'another';
    const client = clientWith(credential);
    await client.card();
    const tasks = await Promise.all(Array.from({ length: 50 }, () => client.getTask({ id: 't1' })));
    expect(tasks.map(({ id }) => id)).toEqual(Array(50).fill('t1'));
    expect(asked.refused).toBe(1);
    expect(agent.calls.length).toBeLessThanOrEqual(100);
    expect(agent.calls.filter(({ headers }) => headers.authorization === 'Bearer token-2')).toHaveLength(50);
    await client.close();
  });

  it('of a stream does as well', async () => {
    const { asked, credential } = issuer();
    accepted = 'another';
    const client = clientWith(credential);
    const states = [];
    for await (const { task } of client.subscribeToTask({ id: 't1' })) states.push(task?.status.state);
    expect(states).toEqual(['TASK_STATE_COMPLETED']);
    expect(asked.refused).toBe(1);
    await client.close();
  });

  it('after the repetition is the error', async () => {
    let asked = 0;
    const client = clientWith(bearer(() => `wrong-${(asked += 1)}`));
    await expect(client.getTask({ id: 't1' })).rejects.toThrow(UnauthenticatedError);
    expect(agent.calls).toHaveLength(2);
    await client.close();
  });

  it('is the error at once where the token stays what it is', async () => {
    for (const credential of [bearer('wrong'), bearer(() => 'wrong')]) {
      agent.requests.length = 0;
      const client = clientWith(credential);
      await expect(client.getTask({ id: 't1' })).rejects.toMatchObject({
        reason: 'UNAUTHENTICATED',
        challenges: ['Bearer realm="a2a"'],
      });
      expect(agent.calls).toHaveLength(1);
      await client.close();
    }
  });

  it('is not what a 403 is', async () => {
    agent.instead = (_, response) => refuse(response, 403);
    const { asked, credential } = issuer();
    const client = clientWith(credential);
    await expect(client.getTask({ id: 't1' })).rejects.toThrow(PermissionDeniedError);
    expect(agent.calls).toHaveLength(1);
    expect(asked.refused).toBe(0);
    await client.close();
  });

  it('keeps callers in whose names others call apart', async () => {
    const tokens = new Map<string, number>();
    const renewed: string[] = [];
    const credential = bearer(({ refused, operation }) => {
      const name = operation === 'GetTask' ? 'ann' : 'bob';
      if (refused) {
        renewed.push(name);
        tokens.set(name, (tokens.get(name) ?? 1) + 1);
      }
      return `${name}-${tokens.get(name) ?? 1}`;
    });
    agent.instead = (request, response) =>
      request.headers.authorization?.endsWith('-2') ? answerTask(request, response) : refuse(response);
    const client = clientWith(credential);
    await client.card();
    await Promise.all([client.getTask({ id: 't1' }), client.cancelTask({ id: 't1' })]);
    expect(renewed.toSorted()).toEqual(['ann', 'bob']);
    await client.close();
  });
});

it('leaves a call its limit, however long its credentials took', async () => {
  agent.instead = () => {};
  const credentials = { bearer: bearer(() => sleep(40, 'token')) };
  const client = createA2AClient(agent.base, {
    credentials,
    timeouts: { totalMs: 20 },
    retry: { attempts: 1 },
  });
  await client.card();
  await expect(client.cancelTask({ id: 't1' })).rejects.toMatchObject({ phase: 'total' });
  await client.close();
});
