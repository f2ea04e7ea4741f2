import {
  type CallInterceptor,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
} from '@a2a-js/sdk/client';
import { A2AError } from '@a2a-js/sdk/errors';
import { expect, it } from 'vitest';
import { onEveryWire } from './on-every-wire.js';
import { listing, sendForTask, state, textOf } from './sdk.js';

/** Signs in as this user, as an application's interceptor does. */
function signIn(name: string): CallInterceptor {
  return {
    before: async (args) => {
      const serviceParameters = {
        ...args.options?.serviceParameters,
        Authorization: `Bearer user:${name}`,
      };
      args.options = { ...args.options, serviceParameters };
    },
    after: async () => {},
  };
}

onEveryWire('an agent that knows its users', { AUTH: 'bearer' }, (wire) => {
  it('declares how to sign in', async () => {
    const card = await new DefaultAgentCardResolver().resolve(wire.base);
    expect(card.securitySchemes['bearer']?.scheme).toMatchObject({
      $case: 'httpAuthSecurityScheme',
      value: { scheme: 'Bearer' },
    });
    expect(card.securityRequirements[0]?.schemes['bearer']).toBeDefined();
  });

  it('turns away who does not sign in', async () => {
    const error = await sendForTask(wire.client, 'quick').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(A2AError);
    expect(error).toMatchObject(
      wire.binding === 'JSONRPC'
        ? { envelopeCode: -32000, message: expect.stringContaining('Sign in') }
        : { statusCode: 401, headers: { 'www-authenticate': expect.stringMatching(/^Bearer/) } },
    );
  });

  it('takes the header that an interceptor sets, and shows the extended card', async () => {
    const ada = await wire.connect({ interceptors: [signIn('ada')] });
    const task = await sendForTask(ada, 'whoami');
    expect(JSON.parse(textOf(task.artifacts[0]))).toMatchObject({ user: 'ada' });
    const card = await ada.getAgentCard();
    expect(card.skills.map(({ id }) => id)).toEqual(['script', 'inspect']);
  });

  it('takes the header that an authenticating fetch sets when it is refused', async () => {
    const challenges: (string | null)[] = [];
    const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
      headers: async () => ({}),
      shouldRetryWithHeaders: async (_request, response) => {
        if (response.status !== 401) return undefined;
        challenges.push(response.headers.get('www-authenticate'));
        return { Authorization: 'Bearer user:bob' };
      },
    });
    const bob = await wire.connect({ fetchImpl });
    const task = await sendForTask(bob, 'whoami');
    expect(JSON.parse(textOf(task.artifacts[0]))).toMatchObject({ user: 'bob' });
    expect(challenges).toEqual([expect.stringMatching(/^Bearer /)]);
  });

  it('shows a task to its owner only', async () => {
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map((name) => wire.connect({ interceptors: [signIn(name)] })),
    );
    const { id } = await sendForTask(ada!, 'quick');
    expect(state(await ada!.getTask({ tenant: '', id }))).toBe('COMPLETED');
    await expect(bob!.getTask({ tenant: '', id })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });
});

onEveryWire('an agent that takes API keys', { AUTH: 'api-key' }, (wire) => {
  it('says where the key goes, and takes it there', async () => {
    const { securitySchemes } = await new DefaultAgentCardResolver().resolve(wire.base);
    const scheme = securitySchemes['api-key']?.scheme;
    if (scheme?.$case !== 'apiKeySecurityScheme') throw new Error('no API key scheme');
    expect(scheme.value).toMatchObject({ location: 'header', name: 'x-api-key' });
    const serviceParameters = { [scheme.value.name]: 'user:eve' };
    expect(await wire.client.listTasks(listing(), { serviceParameters })).toMatchObject({ tasks: [] });
    await expect(wire.client.listTasks(listing())).rejects.toBeInstanceOf(A2AError);
  });
});
