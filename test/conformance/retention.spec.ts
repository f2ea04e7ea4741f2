import {
  AgentExecutor,
  QueueManager,
  type RequestContext,
  Skill,
  TaskHandle,
  TaskStore,
  type Task,
} from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { MemoryPushNotificationConfigStore } from '../../lib/stores/memory-push-notification-config-store.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { OpenStreams } from '../../lib/transports/open-streams.js';
import { M } from '../support/message.js';
import { type ModuleOptions, PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { show, stateOf } from './support/show.js';

@Skill({ id: 'be', name: 'Be', description: 'Is there', tags: ['test'] })
@AgentExecutor({
  name: 'Brief',
  description: 'Is there for a while',
  version: '1',
  capabilities: { streaming: true, pushNotifications: true },
})
class BriefAgent {
  async execute({ userInput, updater }: RequestContext): Promise<string | undefined> {
    if (userInput === 'message') return 'Hello';
    if (userInput === 'park') await updater.requiresInput();
    else if (userInput === 'detach') {
      await updater.startWork();
      updater.detach();
    } else await updater.complete();
    return undefined;
  }
}

/** Counts who watches a log, besides keeping it. */
class WatchedQueueManager extends MemoryQueueManager {
  watchers = 0;

  override watch(...args: Parameters<MemoryQueueManager['watch']>): () => void {
    const unwatch = super.watch(...args);
    let watching = true;
    this.watchers += 1;
    return () => {
      if (watching) this.watchers -= 1;
      watching = false;
      unwatch();
    };
  }
}

/** A store whose webhooks have all been told everything. */
class ToldConfigStore extends MemoryPushNotificationConfigStore {
  override async openAmong(): Promise<readonly string[]> {
    return [];
  }
}

describe.each(PLATFORMS)('C17 what is kept in memory on %s', (platform) => {
  const CAP = 500;
  // 5 000 once is enough: the platform has no part in what is kept.
  const each = platform === 'fastify' ? 250 : 60;
  let served: ServedApp;
  let configs: MemoryPushNotificationConfigStore;
  const open: ServedApp[] = [];

  async function serve(
    retention: ModuleOptions['retention'],
    store: MemoryPushNotificationConfigStore = new ToldConfigStore(),
  ): Promise<ServedApp> {
    configs = store;
    const app = await serveApp(platform, {
      agents: [BriefAgent],
      options: {
        queueManager: WatchedQueueManager,
        pushNotificationConfigStore: configs,
        push: { send: false },
        retention,
      },
    });
    open.push(app);
    return app;
  }

  const gauges = () => {
    const queue = served.app.get<unknown, WatchedQueueManager>(QueueManager);
    return {
      tasks: served.app.get<unknown, MemoryTaskStore>(TaskStore).size,
      logs: queue.size,
      watchers: queue.watchers,
      streams: served.app.get(OpenStreams).size,
      configs: configs.size,
    };
  };

  afterAll(() => Promise.all(open.map((app) => app.close())));

  describe('of many tasks', () => {
    let first: Task;

    beforeAll(async () => {
      served = await serve({ maxFinished: CAP, maxFinishedLogs: CAP, intervalMs: 100 });
      const peer = served.peer('JSONRPC');
      first = await peer.send('first');
      const parked = await peer.send('park');
      await peer.ok('CreateTaskPushNotificationConfig', { taskId: parked.id, url: 'https://example.com' });
      await peer.ok('SendMessage', M('done', { message: { taskId: parked.id } }));
      expect(gauges().configs).toBe(1);
      const texts = ['end', 'end', 'end', 'message', 'stream'];
      await Promise.all(
        Array.from({ length: 20 }, async (_, lane) => {
          for (let i = 0; i < each; i++) {
            const text = texts[(i + lane) % texts.length]!;
            if (text === 'stream') await (await peer.request('SendStreamingMessage', M(text))).text();
            else await peer.ok('SendMessage', M(text));
          }
        }),
      );
    }, 60_000);

    it('keeps as many as the cap says, and neither logs, watchers, streams nor webhooks of the others', async () => {
      await expect.poll(gauges, { timeout: 5_000 }).toEqual({
        tasks: CAP,
        logs: CAP,
        watchers: 0,
        streams: 0,
        configs: 0,
      });
    });

    it('knows nothing of those that are gone', async () => {
      const peer = served.peer('HTTP+JSON');
      for (const [operation, params] of [
        ['GetTask', { id: first.id }],
        ['CancelTask', { id: first.id }],
        ['SubscribeToTask', { id: first.id }],
        ['SendMessage', M('more', { message: { taskId: first.id } })],
        ['ListTaskPushNotificationConfigs', { taskId: first.id }],
      ] as const) {
        const refusal = await peer.refused(operation, params);
        expect(refusal).toMatchObject({ httpStatus: 404, reason: 'TASK_NOT_FOUND' });
      }
      expect((await peer.ok('ListTasks')).totalSize).toBe(CAP);
    });
  });

  it('keeps beyond the cap what a webhook has yet to be told', async () => {
    const store = new MemoryPushNotificationConfigStore();
    served = await serve({ maxFinished: 2, maxFinishedLogs: 2, intervalMs: 20 }, store);
    const peer = served.peer('JSONRPC');
    const untold = await peer.send('park');
    await store.set({ taskId: untold.id, id: 'hook', url: 'https://example.com' });
    // A sender that never comes to it.
    await store.claim({ holder: 'sender', ttlMs: 600_000, limit: 1 });
    await peer.ok('SendMessage', M('done', { message: { taskId: untold.id } }));
    for (let i = 0; i < 6; i++) await peer.send('end');
    await expect.poll(gauges).toMatchObject({ tasks: 3, logs: 3, configs: 1 });
    expect(stateOf(await peer.get(untold.id))).toBe('COMPLETED');
    await peer.ok('DeleteTaskPushNotificationConfig', { taskId: untold.id, id: 'hook' });
    await expect.poll(gauges).toMatchObject({ tasks: 2, logs: 2, configs: 0 });
    expect((await peer.refused('GetTask', { id: untold.id })).reason).toBe('TASK_NOT_FOUND');
  });

  it('fails live tasks that are older than they may be, tells their streams, and forgets them then', async () => {
    served = await serve({ maxAgeMs: 400, intervalMs: 50, finishedTtlMs: 1_000, finishedLogTtlMs: 500 });
    const peer = served.peer('JSONRPC');
    const parked = await peer.send('park');
    const detached = await peer.start('detach');
    await peer.ok('CreateTaskPushNotificationConfig', { taskId: parked.id, url: 'https://example.com' });
    const streams = await Promise.all(
      [parked, detached].map(({ id }) => peer.events('SubscribeToTask', { id })),
    );
    for (const events of streams) {
      expect(show(events)).toHaveLength(2);
      expect(show(events).at(-1)).toBe('FAILED');
      expect(events.at(-1)!.statusUpdate!.metadata).toEqual({ reason: 'expired' });
    }
    for (const { id } of [parked, detached]) {
      const task = await peer.get(id);
      expect(stateOf(task)).toBe('FAILED');
      expect(task.metadata).toMatchObject({ reason: 'expired' });
    }
    await expect(served.app.get(TaskHandle).for(detached.id).complete()).rejects.toThrow();
    await expect.poll(gauges, { timeout: 5_000 }).toEqual({
      tasks: 0,
      logs: 0,
      watchers: 0,
      streams: 0,
      configs: 0,
    });
    expect((await peer.refused('GetTask', { id: parked.id })).reason).toBe('TASK_NOT_FOUND');
  });
});
