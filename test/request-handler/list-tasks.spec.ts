import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InvalidParamsError } from '../../lib/protocol/errors.js';
import type { ListTasksRequest, ListTasksResponse } from '../../lib/protocol/model.js';
import { plainAgent, startAgent, type AgentHost } from '../execution/agent-host.js';

let host: AgentHost;

beforeEach(async () => {
  host = await startAgent(
    plainAgent(async ({ updater, userInput }) => {
      await updater.addArtifact('result');
      await (userInput === 'park' ? updater.requiresInput() : updater.complete());
    }),
  );
});

afterEach(() => host.close());

const list = (request: ListTasksRequest = {}, call = host.call): Promise<ListTasksResponse> =>
  host.handler.listTasks(request, call);

describe('ListTasks', () => {
  it('pages through the tasks, newest first, each once', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.push((await host.send(i % 2 ? 'park' : 'done')).id);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await list({ pageSize: 3, pageToken });
      expect(page).toMatchObject({ totalSize: 7, pageSize: 3 });
      seen.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const times = await Promise.all(seen.map(async (id) => (await host.get(id)).status.timestamp!));
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('answers an empty page, and no token', async () => {
    expect(await list()).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
  });

  it('omits artifacts unless they are asked for', async () => {
    await host.send('done');
    expect((await list()).tasks[0]!.artifacts).toBeUndefined();
    expect((await list({ includeArtifacts: true })).tasks[0]!.artifacts).toHaveLength(1);
    expect((await list({ historyLength: 0 })).tasks[0]!.history).toBeUndefined();
  });

  it.each([0, -1, 101])('refuses a page size of %i', async (pageSize) => {
    await expect(list({ pageSize })).rejects.toThrow(InvalidParamsError);
  });

  describe('a page token', () => {
    const tokenOf = async (request: ListTasksRequest): Promise<string> => {
      await host.send('done');
      await host.send('done');
      return (await list({ pageSize: 1, ...request })).nextPageToken;
    };

    it.each<ListTasksRequest>([
      { status: 'TASK_STATE_FAILED' },
      { contextId: 'another' },
      { statusTimestampAfter: '2020-01-01T00:00:00Z' },
    ])('is refused with other filters: %j', async (filters) => {
      const pageToken = await tokenOf({});
      await expect(list({ pageToken, ...filters })).rejects.toThrow(InvalidParamsError);
    });

    it('may change the page size', async () => {
      const pageToken = await tokenOf({});
      expect((await list({ pageToken, pageSize: 50 })).tasks).toHaveLength(1);
    });

    it('is refused from another caller', async () => {
      const pageToken = await tokenOf({});
      const another = { ...host.call, user: { id: 'another' } };
      await expect(list({ pageToken }, another)).rejects.toThrow(InvalidParamsError);
    });

    it.each(['x', '{}', 'bnVsbA', Buffer.from('[1,2,3]').toString('base64url'), 'ÿ'])(
      'is refused when it is made up: %j',
      async (pageToken) => {
        await expect(list({ pageToken })).rejects.toThrow(InvalidParamsError);
      },
    );
  });

  it('shows nothing of another agent, tenant or owner', async () => {
    await host.send('done');
    for (const change of [{ tenant: 'another' }, { user: { id: 'another' } }])
      expect((await list({}, { ...host.call, ...change })).totalSize).toBe(0);
  });
});
