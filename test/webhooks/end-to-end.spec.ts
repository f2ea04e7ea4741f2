import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  A2AModule,
  AgentExecutor,
  artifact,
  Skill,
  status,
  type A2AModuleOptions,
  type SignatureCheck,
} from 'nest-a2a';
import { describe, expect, it } from 'vitest';
import { PLATFORMS, serve, type Platform } from '../docs/serve.js';
import { M } from '../support/message.js';
import { rest } from '../support/rest.js';
import { Inbox, PATH, receiver } from './harness.js';

@AgentExecutor({
  name: 'Steps',
  description: 'Goes step by step',
  version: '1.0.0',
  capabilities: { pushNotifications: true },
})
class StepsAgent {
  @Skill({ id: 'go', name: 'Go', description: 'Goes', tags: ['steps'] })
  async *go() {
    for (const step of ['one', 'two']) yield status('TASK_STATE_WORKING', step);
    yield artifact('all of it', { artifactId: 'all' });
  }
}

function agent(options: A2AModuleOptions) {
  class AgentModule {}
  const urls = { allow: ['127.0.0.1'] };
  const secrets = { keys: [{ id: 'k', key: randomBytes(32) }] };
  return {
    module: AgentModule,
    imports: [A2AModule.forRoot({ urls, secrets, ...options }), A2AModule.forFeature([StepsAgent])],
    providers: [StepsAgent],
  };
}

const HMAC = [{ kid: 'shared', secret: randomBytes(32) }];
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const SIGNED: [how: string, A2AModuleOptions, (agentBase: string) => Omit<SignatureCheck, 'url'>][] = [
  ['HMAC', { push: { signing: { hmac: HMAC }, backoffMs: 20 } }, () => ({ hmac: HMAC })],
  [
    'the keys of its card',
    {
      publicUrl: 'https://agent.example.com',
      signing: { keys: [{ kid: 'card', alg: 'ES256', privateKey }] },
      push: { signing: { jws: true }, backoffMs: 20 },
    },
    (base) => ({ jwks: `${base}/.well-known/a2a-jwks.json` }),
  ],
];

/** A free port, since a signature covers the URL before the receiver listens. */
async function freePort(platform: Platform): Promise<number> {
  await using served = await serve(platform, class Empty {});
  return Number(new URL(served.base).port);
}

describe.each(PLATFORMS)('an agent and a receiver on %s', (platform) => {
  it.each(SIGNED)(
    'tell and are told, signed with %s, whatever fails in between',
    async (_how, options, trust) => {
      await using sender = await serve(platform, agent(options));
      const url = `http://127.0.0.1:${await freePort(platform)}${PATH}`;
      const checks = {
        token: 's3cr3t-token',
        credentials: { scheme: 'Bearer', expected: 's3cr3t-credentials' },
        signature: { url, ...trust(sender.base) },
        urls: { allow: ['127.0.0.1'] },
      };
      await using told = await serve(platform, receiver(checks), { port: Number(new URL(url).port) });
      const inbox = told.app.get(Inbox);
      let attempts = 0;
      inbox.work = () => {
        if (++attempts % 2) throw new Error('every other time');
      };
      const { body } = await rest(sender.base, 'POST', '/message:send', {
        ...M('go'),
        configuration: {
          taskPushNotificationConfig: {
            url,
            token: 's3cr3t-token',
            authentication: { scheme: 'Bearer', credentials: 's3cr3t-credentials' },
          },
        },
      });
      const last = () => inbox.arrived.at(-1)?.event.statusUpdate?.status.state;
      await expect.poll(last, { timeout: 10_000 }).toBe('TASK_STATE_COMPLETED');
      await expect.poll(() => attempts % 2).toBe(0);
      const ids = [...new Set(inbox.ids)];
      // Each of them twice in a row: once in vain.
      expect(inbox.ids).toEqual(ids.flatMap((id) => [id, id]));
      const notified = ids.map((id) => inbox.arrived.find(({ delivery }) => delivery.id === id)!);
      expect(notified.every(({ delivery }) => delivery.taskId === body.task.id && delivery.signedBy)).toBe(
        true,
      );
      const texts = notified.flatMap(({ event }) => event.statusUpdate?.status.message?.parts[0]?.text ?? []);
      expect(texts).toEqual(['one', 'two']);
    },
  );
});
