import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Type } from '@nestjs/common';
import * as messages from '../../lib/a2a.messages.js';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import type { AgentFeature } from '../../lib/interfaces/agent-options.js';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import { MemoryPushNotificationConfigStore } from '../../lib/stores/memory-push-notification-config-store.js';
import { a2aModule, AGENT, BillingAgent, boot, Log, OrderAgent } from './fixtures.js';

/** Ports of which only that is asked which is asked at boot. */
const SHARED = {
  taskStore: { staleSince: async () => [] },
  queueManager: { abandoned: async () => [] },
} as unknown as A2AModuleOptions;

/** As a store is that outlives the process. */
class KeptWebhooks extends MemoryPushNotificationConfigStore {
  override get volatile(): boolean {
    return false;
  }
}

async function logOf(agents: readonly (Type | AgentFeature)[], options?: A2AModuleOptions): Promise<Log> {
  const log = new Log();
  await boot(a2aModule(agents, options).setLogger(log));
  return log;
}

describe('what is logged at boot', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('says where each agent is', async () => {
    const log = await logOf([{ agent: OrderAgent, bindings: ['HTTP+JSON'] }]);
    expect(log.has('log', messages.AGENT_SERVED('Order desk', 'OrderAgent', 'a2a', ['HTTP+JSON']))).toBe(
      true,
    );
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('warns of an application without agents', async () => {
    expect((await logOf([])).has('warn', messages.NO_AGENTS)).toBe(true);
  });

  it('warns of a card without skills', async () => {
    @AgentExecutor(AGENT)
    class MuteAgent {
      execute(): void {}
    }
    expect((await logOf([MuteAgent])).has('warn', messages.NO_SKILLS('MuteAgent'))).toBe(true);
  });

  it('says that no card is at the origin when several agents leave it open', async () => {
    const several = [OrderAgent, { agent: BillingAgent, path: 'billing' }];
    expect((await logOf(several)).has('log', messages.NO_WELL_KNOWN_AGENT)).toBe(true);
    expect((await logOf([OrderAgent])).has('log', messages.NO_WELL_KNOWN_AGENT)).toBe(false);
    const declined = await logOf([{ agent: OrderAgent, wellKnown: false }]);
    expect(declined.has('log', messages.NO_WELL_KNOWN_AGENT)).toBe(true);
  });

  it('warns of credentials among the forwarded headers', async () => {
    const log = await logOf([OrderAgent], { transport: { forwardHeaders: ['X-Api-Key', 'x-request-id'] } });
    expect(log.has('warn', messages.CREDENTIALS_FORWARDED(['X-Api-Key']))).toBe(true);
  });

  describe('in production', () => {
    it.each([
      'http://localhost:3000',
      'http://127.0.0.1',
      'http://0.0.0.0:80',
      'http://[::]:3000',
      'http://[::1]',
    ])('warns of the publicUrl %s', async (publicUrl) => {
      expect(
        (await logOf([OrderAgent], { publicUrl })).has('warn', messages.LOCAL_PUBLIC_URL(publicUrl)),
      ).toBe(false);
      vi.stubEnv('NODE_ENV', 'production');
      expect(
        (await logOf([OrderAgent], { publicUrl })).has('warn', messages.LOCAL_PUBLIC_URL(publicUrl)),
      ).toBe(true);
    });

    it('warns of a missing publicUrl', async () => {
      vi.stubEnv('NODE_ENV', 'production');
      expect((await logOf([OrderAgent])).has('warn', messages.NO_PUBLIC_URL)).toBe(true);
    });

    it('warns of stores in memory', async () => {
      vi.stubEnv('NODE_ENV', 'production');
      const both = messages.MEMORY_IN_PRODUCTION(['TaskStore', 'QueueManager']);
      expect((await logOf([OrderAgent])).has('warn', both)).toBe(true);
      const one = messages.MEMORY_IN_PRODUCTION(['QueueManager']);
      expect((await logOf([OrderAgent], { taskStore: SHARED.taskStore! })).has('warn', one)).toBe(true);
    });

    it('warns of secrets that are stored as they came, where some are', async () => {
      vi.stubEnv('NODE_ENV', 'production');
      const capabilities = { pushNotifications: true };
      const pushing = { agent: OrderAgent, options: { capabilities } };
      const kept = { pushNotificationConfigStore: new KeptWebhooks() };
      const warns = async (agent: Type | AgentFeature, options: A2AModuleOptions) =>
        (await logOf([agent], options)).has('warn', messages.SECRETS_UNSEALED);
      expect(await warns(pushing, kept)).toBe(true);
      expect(await warns(OrderAgent, kept)).toBe(false);
      expect(await warns(pushing, { ...kept, secrets: { keys: [{ id: 'k', key: randomBytes(32) }] } })).toBe(
        false,
      );
      const volatile = { pushNotificationConfigStore: new MemoryPushNotificationConfigStore() };
      expect(await warns(pushing, volatile)).toBe(false);
      vi.unstubAllEnvs();
      expect(await warns(pushing, kept)).toBe(false);
    });

    it('is silent when everything is fit for it', async () => {
      vi.stubEnv('NODE_ENV', 'production');
      const log = await logOf([OrderAgent], { ...SHARED, publicUrl: 'https://api.example.com' });
      expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    });
  });
});
