import { AgentExecutor, type AgentFeature, type OperationName, type RequestContext, Skill } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {} from '../../lib/stores/memory-push-notification-config-store.js';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { M } from '../support/message.js';
import { OPTIONAL_USERS, PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { BINDINGS, Peer, type Refusal } from './support/peer.js';
import { stateOf } from './support/show.js';

@Skill({ id: 'wait', name: 'Wait', description: 'Waits', tags: ['test'] })
@AgentExecutor({
  name: 'Plain',
  description: 'Has no capabilities',
  version: '1',
  capabilities: { streaming: false },
})
class PlainAgent {
  runs = 0;

  async execute({ updater }: RequestContext): Promise<void> {
    this.runs += 1;
    await updater.requiresInput();
  }
}

const HOOK = 'https://example.com/hook';

const declaring = (
  path: string,
  capabilities: NonNullable<AgentFeature['options']>['capabilities'],
  more: Partial<AgentFeature> = {},
): AgentFeature => ({ agent: PlainAgent, path, id: path, options: { capabilities }, ...more });

const AGENTS: readonly AgentFeature[] = [
  declaring('off', { streaming: false }),
  declaring('streams', { streaming: true }),
  declaring('unset', { streaming: false, extendedAgentCard: true, pushNotifications: true }),
  declaring(
    'on',
    { streaming: true, extendedAgentCard: true, pushNotifications: true },
    {
      extendedCard: { description: 'For those who signed in' },
    },
  ),
];

const PUSH_OPERATIONS: readonly OperationName[] = [
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
];

describe.each(PLATFORMS)('D20 capabilities on %s', (platform) => {
  let served: ServedApp;

  beforeAll(async () => {
    served = await serveApp(platform, {
      agents: AGENTS,
      providers: [OPTIONAL_USERS],
      options: { push: { send: false } },
    });
  });
  afterAll(() => served?.close());

  describe.each(BINDINGS)('over %s', (binding) => {
    const peer = (path: string) => served.peer(binding, path).as('ada');

    function expectCode(refusal: Refusal, reason: string, code: number): void {
      expect(refusal).toMatchObject({ reason, domain: 'a2a-protocol.org' });
      if (binding === 'JSONRPC') expect(refusal).toMatchObject({ httpStatus: 200, code });
      else expect(refusal).toMatchObject({ httpStatus: 400, code: 400 });
    }

    it('streaming off refuses streams and subscriptions, and runs nothing', async () => {
      const agent = served.app.get(PlainAgent);
      const task = await peer('off').send('wait');
      const before = agent.runs;
      for (const [operation, params] of [
        ['SendStreamingMessage', M('wait')],
        ['SendStreamingMessage', M('more', { message: { taskId: task.id } })],
        ['SubscribeToTask', { id: task.id }],
        ['SubscribeToTask', { id: 'unknown' }],
      ] as const) {
        expectCode(await peer('off').refused(operation, params), 'UNSUPPORTED_OPERATION', -32004);
      }
      expect(agent.runs).toBe(before);
      expect(await peer('off').get(task.id)).toEqual(task);
    });

    it('streaming on streams', async () => {
      const events = await peer('on').stream('wait');
      expect(stateOf(await peer('on').get(events[0]!.task!.id))).toBe('INPUT_REQUIRED');
    });

    it.each(PUSH_OPERATIONS)('push off refuses %s, for every task alike', async (operation) => {
      const task = await peer('off').send('wait');
      for (const taskId of [task.id, 'unknown']) {
        const refusal = await peer('off').refused(operation, { taskId, id: 'c', url: HOOK });
        expectCode(refusal, 'PUSH_NOTIFICATION_NOT_SUPPORTED', -32003);
      }
    });

    it('push off refuses an inline config, and runs nothing', async () => {
      const agent = served.app.get(PlainAgent);
      const before = agent.runs;
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        const params = M('wait', { configuration: { taskPushNotificationConfig: { url: HOOK } } });
        const refusal = await peer('streams').refused(operation, params);
        expectCode(refusal, 'PUSH_NOTIFICATION_NOT_SUPPORTED', -32003);
      }
      expect(agent.runs).toBe(before);
    });

    it('push on keeps configs', async () => {
      const { id: taskId } = await peer('on').send('wait');
      const config = await peer('on').ok('CreateTaskPushNotificationConfig', { taskId, url: HOOK });
      expect(config).toMatchObject({ taskId, url: HOOK, id: expect.any(String) });
      expect(await peer('on').ok('GetTaskPushNotificationConfig', { taskId, id: config.id })).toEqual(config);
      expect(await peer('on').ok('ListTaskPushNotificationConfigs', { taskId })).toEqual({
        configs: [config],
      });
      expect(
        (await peer('on').ok('DeleteTaskPushNotificationConfig', { taskId, id: config.id })) ?? {},
      ).toEqual({});
      const gone = await peer('on').refused('GetTaskPushNotificationConfig', { taskId, id: config.id });
      expect(gone.reason).toBe('TASK_NOT_FOUND');
    });

    it('the extended card off, on but unset, and on', async () => {
      const off = await peer('off').refused('GetExtendedAgentCard');
      expectCode(off, 'UNSUPPORTED_OPERATION', -32004);
      const unset = await peer('unset').refused('GetExtendedAgentCard');
      expectCode(unset, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007);
      const card = await peer('on').ok('GetExtendedAgentCard');
      expect(card).toMatchObject({ name: 'Plain', description: 'For those who signed in' });
    });

    it('the extended card is for those who signed in', async () => {
      for (const path of ['on', 'unset']) {
        const refusal = await served.peer(binding, path).refused('GetExtendedAgentCard');
        expect(refusal).toMatchObject({ httpStatus: 401, reason: 'UNAUTHENTICATED' });
        expect(refusal.headers.get('www-authenticate')).toMatch(/^Bearer/);
        expect(refusal.code).toBe(binding === 'JSONRPC' ? -32000 : 401);
      }
    });
  });

  it.each(['bearer', 'api-key'])('the scripted agent says with AUTH=%s how to sign in', async (auth) => {
    const fixture: Fixture = await startFixture({
      PORT: '0',
      ADAPTER: platform,
      AUTH: auth,
      CAPABILITIES: '',
    });
    try {
      for (const binding of BINDINGS) {
        const peer = new Peer(`${fixture.base}/a2a`, binding);
        const refusal = await peer.refused('GetExtendedAgentCard');
        expect(refusal).toMatchObject({ httpStatus: 401, reason: 'UNAUTHENTICATED' });
        const challenge = auth === 'bearer' ? /^Bearer/ : /^ApiKey/;
        expect(refusal.headers.get('www-authenticate')).toMatch(challenge);
        const key = auth === 'bearer' ? { authorization: 'Bearer user:ada' } : { 'x-api-key': 'user:ada' };
        expect((await peer.with(key).refused('GetExtendedAgentCard')).reason).toBe('UNSUPPORTED_OPERATION');
        expect((await peer.with(key).refused('SendStreamingMessage', M('quick'))).reason).toBe(
          'UNSUPPORTED_OPERATION',
        );
      }
    } finally {
      await fixture.close();
    }
  });
});
