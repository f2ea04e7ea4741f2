import { Injectable, Module, Scope, type Abstract, type DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import type { A2AOptionsFactory } from '../../lib/a2a.module-definition.js';
import { A2AModule } from '../../lib/a2a.module.js';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import { Skill } from '../../lib/decorators/skill.decorator.js';
import { AgentRegistry } from '../../lib/interfaces/agent-registry.js';
import { IdGenerator } from '../../lib/interfaces/id-generator.js';
import { A2A_OPTIONS, type A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import { OwnerResolver } from '../../lib/interfaces/owner-resolver.js';
import { PushNotificationConfigStore } from '../../lib/interfaces/push-notification-config-store.js';
import { PushNotificationMonitor } from '../../lib/interfaces/push-notification-monitor.js';
import { PushNotificationSender } from '../../lib/interfaces/push-notification-sender.js';
import { QueueManager } from '../../lib/interfaces/queue-manager.js';
import { RequestHandler } from '../../lib/interfaces/request-handler.js';
import { ServerCallContextBuilder } from '../../lib/interfaces/server-call-context.js';
import { SkillRouter } from '../../lib/interfaces/skill-router.js';
import { TaskEvents, TaskReader } from '../../lib/interfaces/task-reader.js';
import { TaskRunner } from '../../lib/interfaces/task-runner.js';
import { TaskStore } from '../../lib/interfaces/task-store.js';
import { TaskHandle } from '../../lib/interfaces/task-updater.js';
import { UuidGenerator } from '../../lib/request-handler/defaults/uuid-generator.js';
import { a2aModule, AGENT, BillingAgent, boot, OrderAgent, silence, TRACK } from './fixtures.js';

type Port = Abstract<object>;

const PORTS: readonly (readonly [string, Port, keyof A2AModuleOptions | undefined])[] = [
  ['TaskStore', TaskStore, 'taskStore'],
  ['QueueManager', QueueManager, 'queueManager'],
  ['TaskReader', TaskReader, 'taskReader'],
  ['TaskRunner', TaskRunner, 'taskRunner'],
  ['PushNotificationConfigStore', PushNotificationConfigStore, 'pushNotificationConfigStore'],
  ['PushNotificationSender', PushNotificationSender, 'pushNotificationSender'],
  ['PushNotificationMonitor', PushNotificationMonitor, 'pushNotificationMonitor'],
  ['RequestHandler', RequestHandler, 'requestHandler'],
  ['ServerCallContextBuilder', ServerCallContextBuilder, 'serverCallContextBuilder'],
  ['OwnerResolver', OwnerResolver, 'ownerResolver'],
  ['IdGenerator', IdGenerator, 'idGenerator'],
  ['SkillRouter', SkillRouter, 'skillRouter'],
  ['AgentRegistry', AgentRegistry, 'agentRegistry'],
  ['TaskEvents', TaskEvents, undefined],
  ['TaskHandle', TaskHandle, undefined],
];

describe('A2AModule', () => {
  beforeAll(silence);

  describe.each(PORTS)('%s', (_name, port, option) => {
    it('is replaced by overrideProvider()', async () => {
      // What the registry is asked at boot.
      const fake = { fake: true, list: () => [] };
      const module = await boot(a2aModule([OrderAgent]).overrideProvider(port).useValue(fake));
      expect(module.get(port)).toBe(fake);
    });

    it.runIf(option)('is replaced by an instance or a class among the options', async () => {
      const instance = { instance: true, list: () => [] };
      @Injectable()
      class Replacement {
        constructor(readonly ids: IdGenerator) {}
        list() {
          return [];
        }
      }
      const byInstance = await boot(a2aModule([OrderAgent], { [option!]: instance }));
      expect(byInstance.get(port)).toBe(instance);
      if (port === IdGenerator) return;
      const byClass = await boot(a2aModule([OrderAgent], { [option!]: Replacement }));
      const made = byClass.get<unknown, Replacement>(port);
      expect(made).toBeInstanceOf(Replacement);
      expect(made.ids, 'its own dependencies are injected').toBeInstanceOf(UuidGenerator);
    });
  });

  it('gives the ports to every module, being global', async () => {
    @Injectable()
    class OrdersService {
      constructor(readonly store: TaskStore) {}
    }
    @Module({ providers: [OrdersService] })
    class OrdersModule {}
    const module = await Test.createTestingModule({ imports: [OrdersModule, A2AModule.forRoot()] }).compile();
    expect(module.get(OrdersService, { strict: false }).store).toBe(module.get(TaskStore, { strict: false }));
  });

  it('keeps them to those who import it when it is not global', async () => {
    @Injectable()
    class OrdersService {
      constructor(readonly store: TaskStore) {}
    }
    @Module({ providers: [OrdersService] })
    class OrdersModule {}
    const root = A2AModule.forRoot({ isGlobal: false });
    const feature = A2AModule.forFeature([OrderAgent], { imports: [root] });
    const alone = Test.createTestingModule({
      imports: [root, feature, OrdersModule],
      providers: [OrderAgent],
    });
    await expect(alone.compile()).rejects.toThrow(/OrdersService/);
    const module = await boot(
      Test.createTestingModule({ imports: [root, feature], providers: [OrderAgent] }),
    );
    expect(module.get(AgentRegistry, { strict: false }).list()).toHaveLength(1);
  });

  describe('forRootAsync', () => {
    const OPTIONS: A2AModuleOptions = {
      publicUrl: 'https://api.example.com',
      idGenerator: new UuidGenerator(),
    };

    @Injectable()
    class Factory implements A2AOptionsFactory {
      createA2AOptions(): A2AModuleOptions {
        return OPTIONS;
      }
    }
    @Module({ providers: [Factory], exports: [Factory] })
    class ConfigModule {}

    const FORMS: Record<string, DynamicModule> = {
      useFactory: A2AModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Factory],
        useFactory: async (factory: Factory) => factory.createA2AOptions(),
        path: 'agents',
      }),
      useClass: A2AModule.forRootAsync({ useClass: Factory, path: 'agents' }),
      useExisting: A2AModule.forRootAsync({ imports: [ConfigModule], useExisting: Factory, path: 'agents' }),
    };

    it.each(Object.entries(FORMS))('%s', async (_form, root) => {
      const module = await boot(a2aModule([OrderAgent], {}, root));
      expect(module.get(A2A_OPTIONS)).toMatchObject({
        publicUrl: 'https://api.example.com',
        cardMaxAge: 3_600,
      });
      expect(module.get(IdGenerator)).toBe(OPTIONS.idGenerator);
      expect(module.get(AgentRegistry).get('OrderAgent').path).toBe('agents/a2a');
    });

    it('passes on what the factory throws', async () => {
      const root = A2AModule.forRootAsync({
        useFactory: () => {
          throw new Error('no configuration');
        },
      });
      await expect(a2aModule([OrderAgent], {}, root).compile()).rejects.toThrow('no configuration');
    });
  });

  describe('agents', () => {
    it('are found in the module that provides them, with its services', async () => {
      @Injectable()
      class OrdersService {}
      @AgentExecutor(AGENT)
      class ServiceAgent {
        constructor(readonly orders: OrdersService) {}
        execute(): void {}
      }
      @Module({ imports: [A2AModule.forFeature([ServiceAgent])], providers: [OrdersService, ServiceAgent] })
      class OrdersModule {}
      const module = await boot(Test.createTestingModule({ imports: [A2AModule.forRoot(), OrdersModule] }));
      expect(module.get(AgentRegistry).get('ServiceAgent').target).toBe(ServiceAgent);
      expect(module.get(ServiceAgent, { strict: false }).orders).toBeInstanceOf(OrdersService);
    });

    it('are found when they are request-scoped, themselves or by a dependency', async () => {
      @AgentExecutor({ ...AGENT, scope: Scope.REQUEST })
      class ScopedAgent {
        execute(): void {}
      }
      @Injectable({ scope: Scope.REQUEST })
      class ScopedService {}
      @AgentExecutor(AGENT)
      class DependentAgent {
        constructor(readonly service: ScopedService) {}
        execute(): void {}
      }
      const builder = Test.createTestingModule({
        imports: [
          A2AModule.forRoot(),
          A2AModule.forFeature([ScopedAgent, { agent: DependentAgent, path: 'b' }]),
        ],
        providers: [ScopedAgent, DependentAgent, ScopedService],
      });
      const module = await boot(builder);
      const ids = module.get(AgentRegistry).list();
      expect(ids.map(({ id }) => id)).toEqual(['ScopedAgent', 'DependentAgent']);
      const [one, other] = [await module.resolve(ScopedAgent), await module.resolve(ScopedAgent)];
      expect(one).not.toBe(other);
    });

    it('are found when a test or a factory provides something in their place', async () => {
      const builder = a2aModule([OrderAgent, { agent: BillingAgent, path: 'b' }])
        .overrideProvider(OrderAgent)
        .useValue({ execute: () => undefined });
      const module = await boot(
        builder.overrideProvider(BillingAgent).useFactory({ factory: () => new BillingAgent() }),
      );
      expect(module.get(AgentRegistry).list()).toHaveLength(2);
    });

    it('are several in one application, each with its own card, path and id', async () => {
      const module = await boot(
        a2aModule(
          [
            OrderAgent,
            { agent: BillingAgent, path: 'billing', wellKnown: true, options: { version: '2.0.0' } },
          ],
          { path: 'agents', publicUrl: 'https://api.example.com' },
        ),
      );
      const agents = module.get(AgentRegistry).list();
      expect(
        agents.map(({ id, path, wellKnown, card }) => [id, path, wellKnown, card.name, card.version]),
      ).toEqual([
        ['OrderAgent', 'agents/a2a', false, 'Order desk', '1.0.0'],
        ['BillingAgent', 'agents/billing', true, 'Billing', '2.0.0'],
      ]);
      expect(agents[1]!.card.supportedInterfaces[0]!.url).toBe(
        'https://api.example.com/agents/billing/jsonrpc',
      );
    });

    it('may be one class under two names', async () => {
      const module = await boot(
        a2aModule([
          OrderAgent,
          { agent: OrderAgent, id: 'second', path: 'second', options: { name: 'Second' } },
        ]),
      );
      const registry = module.get(AgentRegistry);
      expect(registry.get('OrderAgent').card.name).toBe('Order desk');
      expect(registry.get('second').card.name).toBe('Second');
    });

    it('list the skills of options, class and methods with their handlers', async () => {
      @AgentExecutor(AGENT)
      class SkilledAgent {
        @Skill(TRACK)
        track(): void {}
        @Skill({ ...TRACK, id: 'return' })
        @Skill({ ...TRACK, id: 'refund' })
        giveBack(): void {}
      }
      const module = await boot(a2aModule([SkilledAgent]));
      const { skills, card } = module.get(AgentRegistry).get('SkilledAgent');
      expect(skills.map(({ id, method }) => [id, method])).toEqual([
        ['track', 'track'],
        ['return', 'giveBack'],
        ['refund', 'giveBack'],
      ]);
      expect(card.skills[0]).toEqual(TRACK);
    });

    it('do not leak from one application into another', async () => {
      const feature = A2AModule.forFeature([OrderAgent]);
      const make = () =>
        boot(Test.createTestingModule({ imports: [A2AModule.forRoot(), feature], providers: [OrderAgent] }));
      const [first, second] = [await make(), await make()];
      expect(first.get(AgentRegistry).list()).toHaveLength(1);
      expect(second.get(AgentRegistry).list()).toHaveLength(1);
    });

    it('are unknown under another id, and the error lists the known ones', async () => {
      const module = await boot(a2aModule([OrderAgent]));
      expect(() => module.get(AgentRegistry).get('Nobody')).toThrow('"Nobody"; known ids: OrderAgent');
    });
  });
});
