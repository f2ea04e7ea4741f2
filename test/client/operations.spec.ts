import {
  getText,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnauthenticatedError,
  UnsupportedOperationError,
  userMessage,
  type StreamResponse,
} from 'nest-a2a';
import { createA2AClient, type A2AClient } from 'nest-a2a/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type Fixture } from '../fixtures/scripted-agent/bootstrap.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';
import { CLIENT_BINDINGS, clientOf, text } from './clients.js';
import { answerJson, answerRpc, cardWith, Peer } from './peer.js';

const EXTENSION = 'https://example.com/extensions/tone';

describe.each(['fastify', 'express'])('the operations of an agent on %s', (adapter) => {
  let fixture: Fixture;

  beforeAll(async () => {
    const env = {
      PORT: '0',
      ADAPTER: adapter,
      AUTH: 'bearer',
      EXTENSIONS: EXTENSION,
      PUSH_ALLOW: '127.0.0.1',
    };
    fixture = await startFixture(env);
  });
  afterAll(() => fixture?.close());

  describe.each(CLIENT_BINDINGS)('over %s', (binding) => {
    let client: A2AClient;

    beforeAll(() => {
      const headers = { authorization: 'Bearer user:ann' };
      client = clientOf(fixture.base, binding, { headers, extensions: [EXTENSION] });
    });
    afterAll(() => client?.close());

    async function whoami(extra = {}): Promise<Record<string, unknown>> {
      const { task } = await client.sendMessage(text('whoami', extra));
      return JSON.parse(getText(task!.artifacts![0]!)) as Record<string, unknown>;
    }

    it('SendMessage, to a task, a message and an old task', async () => {
      const { task } = await client.sendMessage(text('park'));
      expect(task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      const finish = { message: userMessage('finish', { taskId: task!.id }) };
      expect((await client.sendMessage(finish)).task).toMatchObject({
        id: task!.id,
        status: { state: 'TASK_STATE_COMPLETED' },
      });
      expect(getText((await client.sendMessage(text('message'))).message!)).toBe('Hello');
    });

    it('SendStreamingMessage', async () => {
      const events: StreamResponse[] = [];
      for await (const event of client.sendStreamingMessage(text('chunks:5'))) events.push(event);
      expect(events[0]?.task?.status.state).toBeDefined();
      const chunks = events.flatMap(({ artifactUpdate }) =>
        artifactUpdate ? [getText(artifactUpdate.artifact)] : [],
      );
      expect(chunks.join('')).toBe('token-0 token-1 token-2 token-3 token-4 ');
      expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it('GetTask, with a history as long as asked for', async () => {
      const { task } = await client.sendMessage(text('quick'));
      expect((await client.getTask({ id: task!.id })).history).toHaveLength(1);
      expect((await client.getTask({ id: task!.id, historyLength: 0 })).history ?? []).toEqual([]);
    });

    it('ListTasks, page by page and filtered', async () => {
      const contextId = `list-${adapter}-${binding}`;
      for (let i = 0; i < 3; i++) await client.sendMessage({ message: userMessage('quick', { contextId }) });
      const first = await client.listTasks({ contextId, pageSize: 2, includeArtifacts: true });
      expect(first).toMatchObject({ totalSize: 3, pageSize: 2 });
      expect(first.tasks[0]!.artifacts).toHaveLength(1);
      const second = await client.listTasks({ contextId, pageSize: 2, pageToken: first.nextPageToken });
      expect(second.tasks).toHaveLength(1);
      expect(second.nextPageToken).toBe('');
      expect((await client.listTasks({ contextId, status: 'TASK_STATE_FAILED' })).tasks).toEqual([]);
    });

    it('CancelTask', async () => {
      const { task } = await client.sendMessage(text('park'));
      expect((await client.cancelTask({ id: task!.id })).status.state).toBe('TASK_STATE_CANCELED');
      const { task: done } = await client.sendMessage(text('quick'));
      await expect(client.cancelTask({ id: done!.id })).rejects.toBeInstanceOf(TaskNotCancelableError);
    });

    it('SubscribeToTask', async () => {
      const configuration = { returnImmediately: true };
      const { task } = await client.sendMessage(text('slow:3', { configuration }));
      const events: StreamResponse[] = [];
      for await (const event of client.subscribeToTask({ id: task!.id })) events.push(event);
      expect(events[0]?.task?.id).toBe(task!.id);
      expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
      await expect(client.subscribeToTask({ id: task!.id }, { resume: false }).next()).rejects.toBeInstanceOf(
        UnsupportedOperationError,
      );
    });

    it('GetExtendedAgentCard, for those who are known', async () => {
      expect((await client.getExtendedAgentCard()).name).toBe('Scripted agent');
      const nobody = clientOf(fixture.base, binding);
      await expect(nobody.getExtendedAgentCard()).rejects.toBeInstanceOf(UnauthenticatedError);
      await nobody.close();
    });

    it('the four of push notification configs', async () => {
      const { task } = await client.sendMessage(text('park'));
      const names = { taskId: task!.id, id: 'hook' };
      const url = 'https://127.0.0.1:9/hook';
      allowPlainSecret('answer', 's3cr3t-token', 'Create answers what it was sent');
      expect(
        await client.createTaskPushNotificationConfig({ ...names, url, token: 's3cr3t-token' }),
      ).toMatchObject(names);
      const config = await client.getTaskPushNotificationConfig(names);
      expect(config).toMatchObject({ ...names, url });
      expect(config).not.toHaveProperty('token');
      expect((await client.listTaskPushNotificationConfigs({ taskId: task!.id })).configs).toEqual([config]);
      expect(await client.deleteTaskPushNotificationConfig(names)).toBeUndefined();
      expect((await client.listTaskPushNotificationConfigs({ taskId: task!.id })).configs).toEqual([]);
    });

    it('with the caller, the tenant and the extensions that the executor then sees', async () => {
      expect(await whoami()).toMatchObject({ user: 'ann', tenant: '', extensions: [EXTENSION] });
      expect(await whoami({ tenant: 'acme/west' })).toMatchObject({ tenant: 'acme/west' });
    });

    it('with ids that need care in a path', async () => {
      for (const id of ['nobody', 'a/b', 'x:cancel', 'é ü?#%']) {
        await expect(client.getTask({ id })).rejects.toBeInstanceOf(TaskNotFoundError);
        await expect(client.cancelTask({ id })).rejects.toBeInstanceOf(TaskNotFoundError);
      }
    });

    it('end when the caller leaves', async () => {
      const { task } = await client.sendMessage(
        text('slow:20', { configuration: { returnImmediately: true } }),
      );
      for await (const event of client.subscribeToTask({ id: task!.id })) if (event) break;
      const leaving = new AbortController();
      const waiting = client.sendMessage(text('slow:20'), { signal: leaving.signal });
      leaving.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
    });
  });
});

describe.each(CLIENT_BINDINGS)('push notification configs over %s', (binding) => {
  it('travel as the specification says', async () => {
    const config = { taskId: 't1', id: 'hook', url: 'https://example.com/hook' };
    const peer = await Peer.start((request, response) => {
      const { url, method } = request;
      if (binding === 'JSONRPC') {
        const name = request.json.method as string;
        if (name.startsWith('List')) return answerRpc(request, response, { configs: [config] });
        return answerRpc(request, response, name.startsWith('Delete') ? {} : config);
      }
      if (method === 'DELETE') return response.writeHead(204).end();
      return answerJson(response, url.endsWith('Configs?pageSize=5') ? { configs: [config] } : config);
    });
    const client = createA2AClient({ card: cardWith([[binding, peer.base, { tenant: 'acme' }]]) });
    try {
      const names = { taskId: 't1', id: 'hook' };
      expect(await client.createTaskPushNotificationConfig(config)).toEqual(config);
      expect(await client.getTaskPushNotificationConfig(names)).toEqual(config);
      const page = await client.listTaskPushNotificationConfigs({ taskId: 't1', pageSize: 5 });
      expect(page.configs).toEqual([config]);
      expect(await client.deleteTaskPushNotificationConfig(names)).toBeUndefined();
      const seen = peer.requests.map(({ method, url, json }) => [method, url, json?.params ?? json]);
      const path = '/acme/tasks/t1/pushNotificationConfigs';
      const { taskId: _, ...body } = config;
      expect(seen).toEqual(
        binding === 'JSONRPC'
          ? [config, names, { taskId: 't1', pageSize: 5 }, names].map((params) => [
              'POST',
              '/',
              { tenant: 'acme', ...params },
            ])
          : [
              ['POST', path, body],
              ['GET', `${path}/hook`, undefined],
              ['GET', `${path}?pageSize=5`, undefined],
              ['DELETE', `${path}/hook`, undefined],
            ],
      );
    } finally {
      await client.close();
      await peer.stop();
    }
  });
});
