import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  A2AClient,
  A2AClientModule,
  ClientClosedError,
  createA2AClient,
  getA2AClientToken,
  InjectA2AClient,
  type A2AClientOptions,
  type A2AClientSettings,
  type A2AClientSettingsFactory,
} from 'nest-a2a/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerRpc, cardWith, Peer, TASK } from '../peer.js';

@Injectable()
class Orders {
  constructor(@InjectA2AClient('billing') readonly billing: A2AClient) {}
}

let peer: Peer;

beforeEach(async () => {
  peer = await Peer.start((request, response) => answerRpc(request, response, TASK));
});
afterEach(() => peer.stop());

const settings = (): A2AClientSettings => ({ card: cardWith([['JSONRPC', peer.base]]) });

class Settings implements A2AClientSettingsFactory {
  static readonly made: A2AClientSettings[] = [];

  createA2AClientSettings(): A2AClientSettings {
    return Settings.made[0]!;
  }
}

@Module({ providers: [Settings], exports: [Settings] })
class SettingsModule {}

describe('A2AClientModule', () => {
  it('boots without its peers, injects by name, and closes at shutdown', async () => {
    const nobody = { name: 'nobody', url: 'http://127.0.0.1:1/' };
    const module = await Test.createTestingModule({
      imports: [A2AClientModule.register([{ name: 'billing', ...settings() }, nobody])],
      providers: [Orders],
    }).compile();
    await module.init();
    const { billing } = module.get(Orders);
    expect(billing).toBeInstanceOf(A2AClient);
    expect(billing).not.toBe(module.get(getA2AClientToken('nobody'), { strict: false }));
    expect(await billing.getTask({ id: 't1' })).toEqual(TASK);
    await module.close();
    await expect(billing.getTask({ id: 't1' })).rejects.toBeInstanceOf(ClientClosedError);
    await expect.poll(() => peer.sockets()).toBe(0);
  });

  it('is overridden in tests', async () => {
    const fake = { getTask: () => Promise.resolve('a fake') };
    const module = await Test.createTestingModule({
      imports: [A2AClientModule.register([{ name: 'billing', url: 'https://billing.example.com' }])],
      providers: [Orders],
    })
      .overrideProvider(getA2AClientToken('billing'))
      .useValue(fake)
      .compile();
    expect(module.get(Orders).billing).toBe(fake);
    await module.close();
  });

  it('takes settings from factories, classes and what exists', async () => {
    Settings.made[0] = settings();
    const module = await Test.createTestingModule({
      imports: [
        A2AClientModule.registerAsync([
          {
            name: 'billing',
            imports: [SettingsModule],
            inject: [Settings],
            useFactory: async (made: Settings) => made.createA2AClientSettings(),
          },
          { name: 'by-class', useClass: Settings },
          { name: 'existing', imports: [SettingsModule], useExisting: Settings },
        ]),
      ],
      providers: [Orders],
    }).compile();
    const names = ['billing', 'by-class', 'existing'];
    for (const name of names) {
      const client = module.get<A2AClient>(getA2AClientToken(name), { strict: false });
      expect(await client.getTask({ id: 't1' })).toEqual(TASK);
    }
    await module.close();
  });

  it('may be global', async () => {
    @Module({ providers: [Orders], exports: [Orders] })
    class OrdersModule {}
    const clients = A2AClientModule.register([{ name: 'billing', ...settings() }], { isGlobal: true });
    const module = await Test.createTestingModule({ imports: [clients, OrdersModule] }).compile();
    expect(module.get(Orders).billing).toBeInstanceOf(A2AClient);
    await module.close();
  });

  it('says at boot what cannot be', async () => {
    const twice = { name: 'billing', url: 'https://billing.example.com' };
    expect(() => A2AClientModule.register([twice, twice])).toThrow('Two A2A clients have the name "billing"');
    expect(() => A2AClientModule.registerAsync([{ name: 'billing' }])).toThrow('useFactory');
    const bad = [
      'billing.example.com',
      'ftp://billing.example.com',
      'https://user:s3cr3t-password@billing.example.com',
    ];
    for (const url of bad) {
      const imports = [A2AClientModule.register([{ name: 'billing', url }])];
      const compiling = Test.createTestingModule({ imports }).compile();
      await expect(compiling).rejects.toThrow('The A2A client "billing" cannot be made');
      await expect(compiling).rejects.not.toThrow('s3cr3t-');
    }
  });

  it.each<[A2AClientOptions, string]>([
    [{ timeouts: { connectMs: Number('ten') } }, 'timeouts.connectMs is NaN'],
    [{ timeouts: { firstByteMs: 0, totalMs: -1 } }, 'timeouts.totalMs is -1'],
    [
      { timeouts: { totalMs: Infinity } },
      'timeouts.totalMs is Infinity, but must be 1641600000 ms (19 days) at most',
    ],
    [{ resume: { maxDelayMs: 2 ** 31 } }, 'resume.maxDelayMs is 2147483648'],
    [{ retry: { attempts: NaN } }, 'retry.attempts is NaN'],
    [{ resume: { maxPollMs: -0.5 } }, 'resume.maxPollMs is -0.5'],
    [{ maxAnswerBytes: NaN, maxEventLength: -1 }, 'maxAnswerBytes is NaN'],
    [{ maxAnswerBytes: NaN, maxEventLength: -1 }, 'maxEventLength is -1'],
  ])('says at boot which number of %o is none', async (options, problem) => {
    const imports = [
      A2AClientModule.register([{ name: 'billing', url: 'https://b.example.com', ...options }]),
    ];
    const compiling = Test.createTestingModule({ imports }).compile();
    await expect(compiling).rejects.toThrow('The A2A client "billing" cannot be made');
    await expect(compiling).rejects.toThrow(problem);
    expect(() => createA2AClient('https://b.example.com', options)).toThrow(problem);
  });

  it('takes 0, booleans, and numbers that are not given', async () => {
    const options = { timeouts: { connectMs: 0 }, retry: { baseMs: 0, sends: true }, resume: true };
    await createA2AClient('https://b.example.com', options).close();
    await createA2AClient('https://b.example.com', { resume: false }).close();
  });
});
