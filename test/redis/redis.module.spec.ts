import { Injectable, type DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { A2AModule, AgentExecutor, QueueManager, Skill } from 'nest-a2a';
import {
  A2ARedisModule,
  RedisConnections,
  RedisQueueManager,
  type A2ARedisOptions,
  type A2ARedisOptionsFactory,
} from 'nest-a2a/redis';
import { afterAll, expect, it } from 'vitest';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { unique } from '../contracts/samples.js';
import { agentModule } from '../docs/agent-module.js';
import { PLATFORMS, serve } from '../docs/serve.js';
import { M } from '../support/message.js';
import { rpc } from '../support/rpc.js';
import { describeWithServer, redisUrl } from '../support/servers.js';
import { removeKeys } from '../support/redis-keys.js';

const keyPrefix = unique('a2a-test');
const options: A2ARedisOptions = { url: redisUrl(), keyPrefix };

@AgentExecutor({ name: 'Test', description: 'Answers', version: '1.0.0' })
class HelloAgent {
  @Skill({ id: 'hello', name: 'Hello', description: 'Says hello', tags: ['test'] })
  async *hello() {
    yield 'Hello';
  }
}

@Injectable()
class Settings implements A2ARedisOptionsFactory {
  createA2ARedisOptions(): A2ARedisOptions {
    return options;
  }
}

describeWithServer('A2ARedisModule', 'redis', () => {
  afterAll(() => removeKeys(keyPrefix));

  it.each<[string, DynamicModule]>([
    ['forRoot', A2ARedisModule.forRoot(options)],
    ['forRootAsync with a factory', A2ARedisModule.forRootAsync({ useFactory: () => options })],
    ['forRootAsync with a class', A2ARedisModule.forRootAsync({ useClass: Settings })],
  ])('%s gives the log of the application, whatever the order of imports', async (_name, redis) => {
    for (const imports of [
      [A2AModule.forRoot(), redis],
      [redis, A2AModule.forRoot()],
    ]) {
      const app = await Test.createTestingModule({ imports }).compile();
      await app.init();
      expect(app.get(QueueManager)).toBeInstanceOf(RedisQueueManager);
      const { client } = app.get(RedisConnections);
      expect(client.status).toBe('ready');
      await app.close();
      expect(client.status).toBe('end');
    }
  });

  it('gives way to what the options name, and its class can be named there', async () => {
    for (const queueManager of [MemoryQueueManager, RedisQueueManager]) {
      const imports = [A2AModule.forRoot({ queueManager }), A2ARedisModule.forRoot(options)];
      const app = await Test.createTestingModule({ imports }).compile();
      expect(app.get(QueueManager)).toBeInstanceOf(queueManager);
      await app.close();
    }
  });

  it('is overridden by a test', async () => {
    const own = new MemoryQueueManager();
    const imports = [A2AModule.forRoot(), A2ARedisModule.forRoot(options)];
    const app = await Test.createTestingModule({ imports })
      .overrideProvider(QueueManager)
      .useValue(own)
      .compile();
    expect(app.get(QueueManager)).toBe(own);
    await app.close();
  });

  it('closes what it opened and leaves a client that it was given', async () => {
    const client = new Redis(redisUrl(), { keyPrefix: 'outer:', connectionName: unique('given') });
    const imports = [A2AModule.forRoot(), A2ARedisModule.forRoot({ client, keyPrefix })];
    const app = await Test.createTestingModule({ imports }).compile();
    await app.init();
    const queue = app.get(QueueManager);
    let woken = 0;
    for (let i = 0; i < 1_000; i++) queue.watch(`task-${i}`, () => (woken += 1));
    await expect.poll(() => woken, { timeout: 5_000 }).toBe(1_000);
    const ours = async () =>
      String(await client.client('LIST')).split(client.options.connectionName!).length - 1;
    expect(await ours()).toBe(2);
    await app.close();
    await expect.poll(ours).toBe(1);
    expect(client.status).toBe('ready');
    await client.quit();
  });

  it.each<[string, A2ARedisOptions, RegExp]>([
    ['nothing says where Redis is', {}, /say where Redis is/],
    ['it is said twice', { url: redisUrl(), client: new Redis({ lazyConnect: true }) }, /leave `url`/],
    ['a number is none', { url: redisUrl(), activeTtlMs: NaN }, /A2ARedisModule: activeTtlMs is NaN/],
    [
      'no timer holds a time',
      { url: redisUrl(), commandTimeoutMs: Infinity },
      /A2ARedisModule: commandTimeoutMs is Infinity, but must be/,
    ],
    [
      'Redis is not there',
      { url: 'redis://127.0.0.1:1', connectTimeoutMs: 100 },
      /Redis at 127\.0\.0\.1:1 cannot be used, tried for 100 ms: .*ECONNREFUSED/,
    ],
    [
      'a password is wrong',
      { url: redisUrl(), redis: { username: 'nobody', password: 's3cr3t-wrong' } },
      /cannot be used.*WRONGPASS/,
    ],
  ])('does not start when %s', async (_name, wrong, message) => {
    const testing = Test.createTestingModule({ imports: [A2ARedisModule.forRoot(wrong)] });
    await expect(testing.compile()).rejects.toThrow(message);
  });

  it.each(PLATFORMS)('serves tasks on %s, and ends those that run before it closes', async (platform) => {
    const module = agentModule([HelloAgent], {}, { imports: [A2ARedisModule.forRoot(options)] });
    const served = await serve(platform, module);
    const { task } = (await rpc(served.base, 'SendMessage', M('hi'))).body.result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const queue = served.app.get(QueueManager);
    await expect.poll(() => queue.head(task.id)).toMatchObject({ closed: true, runState: 'ended', taken: 1 });
    await served.app.close();
  });
});
