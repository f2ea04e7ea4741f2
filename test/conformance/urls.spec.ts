import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentExecutor, Skill, type RequestContext } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryPushNotificationConfigStore } from '../../lib/stores/memory-push-notification-config-store.js';
import { M } from '../support/message.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';
import { LogBook, PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { BINDINGS, type Params } from './support/peer.js';
import { artifactTexts } from './support/show.js';

/** Reads its parts, and tells what is in them. */
@Skill({ id: 'read', name: 'Read', description: 'Reads parts', tags: ['test'] })
@AgentExecutor({
  name: 'Reader',
  description: 'Reads parts',
  version: '1',
  capabilities: { pushNotifications: true },
  defaultInputModes: ['*/*'],
})
class Reader {
  runs = 0;

  async execute(context: RequestContext): Promise<void> {
    this.runs += 1;
    if (context.userInput === 'park') return context.updater.requiresInput();
    for (const part of context.message.parts) {
      const seen = await context.fetchPart(part, { maxBytes: 100 }).then(
        ({ bytes, mediaType }) => `${Buffer.from(bytes).toString()} ${mediaType}`,
        (error: Error) => `${error.name}: ${error.message}`,
      );
      await context.updater.addArtifact(seen);
    }
    await context.updater.complete();
  }
}

const SECRET = 's3cr3t-credential';
allowPlainSecret('answer', SECRET, 'Create answers what it was sent');

describe.each(PLATFORMS)('URLs that callers name, on %s', (platform) => {
  let served: ServedApp;
  let files: Server;
  let port: number;
  const store = new MemoryPushNotificationConfigStore();
  const logs = new LogBook();

  beforeAll(async () => {
    files = createServer((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
      else
        response
          .setHeader('content-type', 'text/csv')
          .end(request.url === '/large' ? 'x'.repeat(101) : 'a,b');
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    port = (files.address() as AddressInfo).port;
    served = await serveApp(platform, {
      agents: [Reader],
      logger: logs,
      options: {
        pushNotificationConfigStore: store,
        push: { send: false },
        secrets: { keys: [{ id: 'k', key: randomBytes(32) }] },
        urls: { allow: [`127.0.0.1:${port}`], lookup: async () => [{ address: '10.1.2.3', family: 4 }] },
      },
    });
  });
  afterAll(async () => {
    await served?.close();
    files.closeAllConnections();
    files.close();
  });

  describe.each(BINDINGS)('over %s', (binding) => {
    it.each<[string, Params, string]>([
      ['a private address', { url: 'http://169.254.169.254/' }, 'url'],
      ['a name that leads to one', { url: 'https://inside.example.com/hook' }, 'url'],
      ['credentials', { url: 'https://user:s3cr3t-password@example.com/' }, 'url'],
      ['a file', { url: 'file:///etc/passwd' }, 'url'],
      ['a line of its own in the token', { url: 'HOOK', token: 'x\r\nX-Evil: 1' }, 'token'],
      [
        'a line of its own in the scheme',
        { url: 'HOOK', authentication: { scheme: 'Bearer\n' } },
        'authentication.scheme',
      ],
      [
        'a line of its own in the credentials',
        { url: 'HOOK', authentication: { scheme: 'Bearer', credentials: `${SECRET}\r\nX: 1` } },
        'authentication.credentials',
      ],
    ])('E02: a webhook with %s is refused, and nothing is stored', async (_name, given, field) => {
      const config = {
        ...given,
        url: given['url'] === 'HOOK' ? `http://127.0.0.1:${port}/` : given['url'],
      } as Params;
      const peer = served.peer(binding);
      const { id: taskId } = await peer.send('park');
      const before = store.size;
      const refusal = await peer.refused('CreateTaskPushNotificationConfig', { taskId, ...config });
      expect(refusal.reason).toBe('INVALID_PARAMS');
      expect(JSON.stringify(refusal)).toContain(`"${field}"`);
      expect(JSON.stringify(refusal)).not.toMatch(/10\.1\.2\.3|s3cr3t/);
      const { runs } = served.app.get(Reader);
      const inline = M('read', {
        configuration: { taskPushNotificationConfig: config as { url: string } },
      }) as object as Params;
      const refused = await peer.refused('SendMessage', inline);
      expect(JSON.stringify(refused)).toContain(`"configuration.taskPushNotificationConfig.${field}"`);
      expect({ size: store.size, runs: served.app.get(Reader).runs }).toEqual({ size: before, runs });
    });

    it('E04: a webhook of the allow-list is taken, and its secrets are not read back', async () => {
      const peer = served.peer(binding);
      const { id: taskId } = await peer.send('park');
      const authentication = { scheme: 'Bearer', credentials: SECRET };
      const config = { taskId, id: 'c', url: `http://127.0.0.1:${port}/hook`, token: SECRET, authentication };
      expect(JSON.stringify(await peer.ok('CreateTaskPushNotificationConfig', config))).toContain(SECRET);
      const got = await peer.ok('GetTaskPushNotificationConfig', { taskId, id: 'c' });
      const listed = await peer.ok('ListTaskPushNotificationConfigs', { taskId });
      expect(JSON.stringify([got, listed])).not.toContain(SECRET);
      expect(got).not.toHaveProperty('token');
      expect(logs.text).not.toContain(SECRET);
    });

    it('fetchPart() answers parts of every kind, and reaches nothing private', async () => {
      const base = `http://127.0.0.1:${port}`;
      const parts = [
        { text: 'hi' },
        { raw: Buffer.from('raw').toString('base64'), mediaType: 'image/png' },
        { data: { a: 1 } },
        { url: `${base}/file` },
        { url: `${base}/file`, mediaType: 'text/plain' },
        { url: `${base}/large` },
        { url: `${base}/away` },
        { url: 'http://[::ffff:127.0.0.1]/' },
        { url: 'https://inside.example.com/' },
      ];
      const task = await served.peer(binding).send('', { message: { parts } });
      expect(artifactTexts(task)).toEqual([
        'hi text/plain',
        'raw image/png',
        '{"a":1} application/json',
        'a,b text/csv',
        'a,b text/plain',
        'UrlFetchError: The answer is larger than 100 bytes',
        `UrlFetchError: The part at 127.0.0.1:${port} answered 302`,
        'UnsafeUrlError: The URL is refused: it leads to an address that is not public',
        'UnsafeUrlError: The URL is refused: it leads to an address that is not public',
      ]);
    });
  });
});
