import { randomBytes } from 'node:crypto';
import { AgentExecutor, type OperationName, type RequestContext, Skill, type Task } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { M } from '../support/message.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';
import { OPTIONAL_USERS, PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { BINDINGS, type Params, type Peer, type Refusal } from './support/peer.js';
import { artifactTexts, stateOf } from './support/show.js';

/** Tells which other tasks it can see, or waits. */
@Skill({ id: 'see', name: 'See', description: 'Tells what it sees', tags: ['test'] })
@AgentExecutor({
  name: 'Seer',
  description: 'Tells what it sees',
  version: '1',
  capabilities: { streaming: true, pushNotifications: true },
})
class Seer {
  runs = 0;

  async execute(context: RequestContext): Promise<void> {
    this.runs += 1;
    const { updater, userInput } = context;
    if (userInput === 'park') return updater.requiresInput();
    if (userInput === 'work') {
      await updater.startWork();
      return updater.detach();
    }
    const seen = [...(await context.relatedTasks()), ...(await context.contextHistory())];
    await updater.addArtifact(seen.map(({ id }) => id).join(' '));
    await updater.complete();
  }
}

const HOOK = 'https://example.com/hook';

/** What a caller may try on a task, by the id of the task. */
const ATTEMPTS: readonly (readonly [OperationName, (id: string) => Params])[] = [
  ['GetTask', (id) => ({ id })],
  ['CancelTask', (id) => ({ id })],
  ['SubscribeToTask', (id) => ({ id })],
  ['SendMessage', (id) => M('mine now', { message: { taskId: id } }) as object as Params],
  ['SendStreamingMessage', (id) => M('mine now', { message: { taskId: id } }) as object as Params],
  ['CreateTaskPushNotificationConfig', (id) => ({ taskId: id, url: HOOK })],
  ['GetTaskPushNotificationConfig', (id) => ({ taskId: id, id: 'hook' })],
  ['ListTaskPushNotificationConfigs', (id) => ({ taskId: id })],
  ['DeleteTaskPushNotificationConfig', (id) => ({ taskId: id, id: 'hook' })],
];

describe.each(PLATFORMS)('E01 owners on %s', (platform) => {
  let served: ServedApp;

  beforeAll(async () => {
    served = await serveApp(platform, {
      agents: [Seer],
      providers: [OPTIONAL_USERS],
      options: { push: { send: false }, secrets: { keys: [{ id: 'k', key: randomBytes(32) }] } },
    });
  });
  afterAll(() => served?.close());

  describe.each(BINDINGS)('over %s', (binding) => {
    let one: Peer;
    let two: Peer;
    let nobody: Peer;
    let parked: Task;
    let working: Task;

    beforeAll(async () => {
      nobody = served.peer(binding);
      one = nobody.as(`one ${binding}`);
      two = nobody.as(`two ${binding}`);
      parked = await one.send('park');
      working = await one.start('work');
      for (const { id: taskId } of [parked, working]) {
        await one.ok('CreateTaskPushNotificationConfig', { taskId, id: 'hook', url: HOOK });
      }
    });

    /** All that the owner can know of the task. */
    async function look({ id }: Task): Promise<unknown[]> {
      const task = await one.get(id);
      return [task, await one.ok('ListTaskPushNotificationConfigs', { taskId: id })];
    }

    /** What was answered, but for the id of the task. */
    function shape({ headers, ...refusal }: Refusal, id: string): unknown {
      const kept = [...headers].filter(([name]) => !['date', 'content-length', 'etag'].includes(name));
      return JSON.parse(JSON.stringify({ ...refusal, kept }).replaceAll(id, 'ID'));
    }

    it.each(ATTEMPTS)('%s on the task of another is as on none', async (operation, params) => {
      for (const task of [parked, working]) {
        const before = await look(task);
        for (const other of [two, nobody]) {
          const refusal = await other.refused(operation, params(task.id));
          expect(refusal.reason).toBe('TASK_NOT_FOUND');
          expect(refusal.httpStatus).toBe(binding === 'JSONRPC' ? 200 : 404);
          if (binding === 'JSONRPC') expect(refusal.code).toBe(-32001);
          const made = `made-up-${operation}`;
          expect(shape(refusal, task.id)).toEqual(shape(await other.refused(operation, params(made)), made));
        }
        expect(await look(task)).toEqual(before);
      }
    });

    it.each(ATTEMPTS)('%s on the task of nobody is refused to a user', async (operation, params) => {
      const unowned = await nobody.send('park');
      const refusal = await one.refused(operation, params(unowned.id));
      expect(refusal.reason).toBe('TASK_NOT_FOUND');
      expect(await nobody.get(unowned.id)).toEqual(unowned);
    });

    it('ListTasks shows and counts the own tasks only', async () => {
      for (const params of [{}, { contextId: parked.contextId }, { status: 'TASK_STATE_INPUT_REQUIRED' }]) {
        expect(await two.ok('ListTasks', params)).toMatchObject({
          tasks: [],
          totalSize: 0,
          nextPageToken: '',
        });
      }
      expect((await one.ok('ListTasks', { contextId: parked.contextId })).totalSize).toBe(1);
    });

    it('contexts of the same name are apart, and references lead nowhere', async () => {
      const message = { contextId: parked.contextId, referenceTaskIds: [parked.id, working.id, 'none'] };
      const theirs = await two.send('look', { message });
      expect(theirs.contextId).toBe(parked.contextId);
      expect(artifactTexts(theirs)).toEqual(['']);
      const own = await one.send('look', { message });
      expect(artifactTexts(own)[0]!.split(' ').toSorted()).toEqual(
        [parked.id, parked.id, working.id].toSorted(),
      );
      expect(await one.get(parked.id)).toEqual(parked);
    });

    it('the owner is not hindered, over either binding', async () => {
      const both = BINDINGS.map((other) => one.over(other));
      for (const peer of both) {
        expect((await peer.get(parked.id)).id).toBe(parked.id);
        expect((await peer.ok('GetTaskPushNotificationConfig', { taskId: parked.id, id: 'hook' })).url).toBe(
          HOOK,
        );
      }
      const subscription = both[0]!.events('SubscribeToTask', { id: working.id });
      expect(stateOf(await both[1]!.ok('CancelTask', { id: working.id }))).toBe('CANCELED');
      expect((await subscription).length).toBeGreaterThan(0);
    });
  });

  it('secrets of webhooks are not read back (E04)', async () => {
    const peer = served.peer('JSONRPC').as('keeper');
    const { id: taskId } = await peer.send('park');
    const authentication = { scheme: 'Bearer', credentials: 's3cr3t-credentials' };
    for (const secret of ['s3cr3t-credentials', 's3cr3t-token'])
      allowPlainSecret('answer', secret, 'Create answers what it was sent');
    const config = { taskId, id: 'secret', url: HOOK, token: 's3cr3t-token', authentication };
    expect(await peer.ok('CreateTaskPushNotificationConfig', config)).toEqual(config);
    const got = await peer.ok('GetTaskPushNotificationConfig', { taskId, id: 'secret' });
    const list = await peer.ok('ListTaskPushNotificationConfigs', { taskId });
    expect(got).toEqual({ taskId, id: 'secret', url: HOOK, authentication: { scheme: 'Bearer' } });
    expect(list).toEqual({ configs: [got] });
    for (let i = 0; i < 2; i++) await peer.ok('DeleteTaskPushNotificationConfig', { taskId, id: 'secret' });
    expect(await peer.ok('ListTaskPushNotificationConfigs', { taskId })).toEqual({ configs: [] });
  });
});
