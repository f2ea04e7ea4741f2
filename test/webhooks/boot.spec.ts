import { Injectable, Logger, Module } from '@nestjs/common';
import { A2AWebhookModule, type A2AWebhookModuleExtras, type A2AWebhookModuleOptions } from 'nest-a2a';
import { describe, expect, it, vi } from 'vitest';
import { PLATFORMS, serve } from '../docs/serve.js';
import { Inbox, notify, receiver, TOKEN } from './harness.js';

const URL_OF_HOOK = 'https://app.example.com/hook';
const HMAC = [{ kid: 'a', secret: 'x'.repeat(32) }];

describe.each(PLATFORMS)('booting a webhook on %s', (platform) => {
  it.each<[A2AWebhookModuleOptions & A2AWebhookModuleExtras, string]>([
    [{}, 'everybody could send notifications: set token, credentials or signature, or insecure: true'],
    [{ task: () => true }, 'everybody could send notifications'],
    [{ token: undefined }, 'token is given, but undefined'],
    [{ insecure: true, credentials: undefined }, 'credentials is given, but undefined'],
    [{ token: '' }, 'token is empty'],
    [{ token: [] }, 'token is empty'],
    [{ credentials: { scheme: 'Bearer', expected: '' } }, 'credentials.expected is empty'],
    [{ credentials: { scheme: 'no scheme', expected: 'x' } }, 'name of a scheme'],
    [{ token: 'x', path: 'tasks/:id' }, 'the path "tasks/:id" is not valid'],
    [{ token: 'x', path: '' }, 'the path "" is not valid'],
    [{ signature: { url: URL_OF_HOOK } }, 'signature has no keys'],
    [{ signature: { url: '/hook', hmac: HMAC } }, 'signature.url must be the URL of this webhook'],
    [{ signature: { url: URL_OF_HOOK, hmac: [{ kid: 'a', secret: 'short' }] } }, 'fewer than 32 bytes'],
    [
      { signature: { url: URL_OF_HOOK, jwks: 'http://example.com/jwks' } },
      'https unless it is on this machine',
    ],
    [{ token: 'x', bodyLimit: Number('ten') }, 'bodyLimit is NaN, but must be a number from 0 on'],
    [{ token: 'x', maxDepth: -1 }, 'maxDepth is -1'],
    [{ token: 'x', deduplication: { keepMs: NaN } }, 'deduplication.keepMs is NaN'],
    [{ token: 'x', deduplication: { maxKept: -5 } }, 'deduplication.maxKept is -5'],
    [{ token: 'x', deduplication: { claimMs: NaN } }, 'deduplication.claimMs is NaN'],
    [{ token: 'x', urls: { timeoutMs: NaN } }, 'urls.timeoutMs is NaN'],
    [{ token: 'x', urls: { timeoutMs: Infinity } }, 'urls.timeoutMs is Infinity, but must be 1641600000 ms'],
    [
      { signature: { url: URL_OF_HOOK, hmac: HMAC }, deduplication: { keepMs: 599_999 } },
      'deduplication.keepMs at least twice as long',
    ],
  ])('fails for %j', async (options, problem) => {
    await expect(serve(platform, receiver(options))).rejects.toThrow(problem);
  });

  it('says everything that is wrong at once', async () => {
    const options = { token: '', path: '', signature: { url: URL_OF_HOOK } };
    await expect(serve(platform, receiver(options))).rejects.toThrow(/path[^]*token[^]*signature/);
  });

  it('warns of what is open, and of nothing that handles', async () => {
    const warnings: unknown[] = [];
    const spy = vi.spyOn(Logger.prototype, 'warn').mockImplementation((text) => void warnings.push(text));
    try {
      @Module({ imports: [A2AWebhookModule.forRoot({ insecure: true })] })
      class Empty {}
      await using served = await serve(platform, Empty);
      expect((await notify(served.base)).status).toBe(204);
    } finally {
      spy.mockRestore();
    }
    expect(warnings).toEqual([
      expect.stringContaining('@OnPushNotification()'),
      expect.stringContaining('taken from everybody'),
    ]);
  });

  it('takes options from a factory, its path beside it', async () => {
    @Injectable()
    class Secrets {
      createA2AWebhookOptions() {
        return { token: TOKEN };
      }
    }
    for (const given of [
      { useClass: Secrets },
      { inject: [Secrets], useFactory: (secrets: Secrets) => secrets.createA2AWebhookOptions() },
    ]) {
      @Module({ providers: [Secrets], exports: [Secrets] })
      class SecretsModule {}
      @Module({
        imports: [A2AWebhookModule.forRootAsync({ ...given, imports: [SecretsModule], path: 'hook' })],
        providers: [Inbox],
      })
      class AsyncModule {}
      await using served = await serve(platform, AsyncModule);
      expect((await notify(served.base, undefined, {}, '/hook')).status).toBe(204);
      expect(served.app.get(Inbox).ids).toEqual(['n1']);
    }
  });
});
