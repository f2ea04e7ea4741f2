import { AgentExecutor, type OperationName, type RequestContext, Skill, TaskStore } from 'nest-a2a';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { QueueManager } from '../../lib/interfaces/queue-manager.js';
import { MemoryPushNotificationConfigStore } from '../../lib/stores/memory-push-notification-config-store.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { headersOf } from '../support/http.js';
import { M } from '../support/message.js';
import { PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { BINDINGS, type Params } from './support/peer.js';

/** Gives back what it gets, as it gets it. */
@Skill({ id: 'echo', name: 'Echo', description: 'Gives back what it gets', tags: ['test'] })
@AgentExecutor({
  name: 'Echo',
  description: 'Gives back what it gets',
  version: '1',
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ['*/*'],
})
class EchoAgent {
  runs = 0;

  async execute({ message, updater }: RequestContext): Promise<void> {
    this.runs += 1;
    await updater.addArtifact(message.parts);
    await updater.complete();
  }
}

const GOOD = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const PUSH = { taskId: 't', url: 'https://example.com/hook' };

const message = (changes: Params): Params => ({ message: { ...GOOD, ...changes } });
const part = (json: unknown): Params => message({ parts: [json] });
const configured = (configuration: unknown): Params => ({ message: GOOD, configuration });

type Case = readonly [what: string, params: Params, field: string];

const SENDS: readonly Case[] = [
  ['no message', {}, 'message'],
  ['a message that is null', { message: null }, 'message'],
  ['a message that is a string', { message: 'hi' }, 'message'],
  ['a message that is a list', { message: [GOOD] }, 'message'],
  ['no messageId', message({ messageId: undefined }), 'message.messageId'],
  ['an empty messageId', message({ messageId: '' }), 'message.messageId'],
  ['a messageId that is a number', message({ messageId: 7 }), 'message.messageId'],
  ['no role', message({ role: undefined }), 'message.role'],
  ['the unspecified role', message({ role: 'ROLE_UNSPECIFIED' }), 'message.role'],
  ['role 0', message({ role: 0 }), 'message.role'],
  ['an unknown role', message({ role: 'ROLE_SYSTEM' }), 'message.role'],
  ['an unknown role as a number', message({ role: 9 }), 'message.role'],
  ['the role of version 0.3', message({ role: 'user' }), 'message.role'],
  ['no parts', message({ parts: undefined }), 'message.parts'],
  ['an empty list of parts', message({ parts: [] }), 'message.parts'],
  ['parts that are no list', message({ parts: { text: 'hi' } }), 'message.parts'],
  ['a part that is null', part(null), 'message.parts[0]'],
  ['a part that is a string', part('hi'), 'message.parts[0]'],
  ['a part without content', part({}), 'message.parts[0]'],
  ['a part of version 0.3', part({ kind: 'text' }), 'message.parts[0]'],
  ['a part with a file name only', part({ filename: 'a.txt' }), 'message.parts[0]'],
  ['text and raw', part({ text: 'a', raw: 'YQ==' }), 'message.parts[0]'],
  ['text and url', part({ text: 'a', url: 'https://example.com' }), 'message.parts[0]'],
  ['text and data', part({ text: '', data: null }), 'message.parts[0]'],
  ['text that is a number', part({ text: 7 }), 'message.parts[0].text'],
  ['a url that is a number', part({ url: 7 }), 'message.parts[0].url'],
  ['a bad second part', message({ parts: [{ text: 'a' }, {}] }), 'message.parts[1]'],
  ['raw that is no base64', part({ raw: 'a%b' }), 'message.parts[0].raw'],
  ['raw with one digit too many', part({ raw: 'YWJjY' }), 'message.parts[0].raw'],
  ['raw with bad padding', part({ raw: 'YQ=' }), 'message.parts[0].raw'],
  ['raw with padding inside', part({ raw: 'YQ==YQ==' }), 'message.parts[0].raw'],
  ['raw that is a list', part({ raw: [1, 2] }), 'message.parts[0].raw'],
  ['a media type that is a number', part({ text: 'a', mediaType: 1 }), 'message.parts[0].mediaType'],
  ['part metadata that is a list', part({ text: 'a', metadata: [] }), 'message.parts[0].metadata'],
  ['message metadata that is a string', message({ metadata: 'x' }), 'message.metadata'],
  ['a contextId that is an object', message({ contextId: {} }), 'message.contextId'],
  ['referenceTaskIds that is a string', message({ referenceTaskIds: 'x' }), 'message.referenceTaskIds'],
  ['a referenceTaskId that is null', message({ referenceTaskIds: [null] }), 'message.referenceTaskIds[0]'],
  ['extensions with a number', message({ extensions: [1] }), 'message.extensions[0]'],
  ['metadata that is a number', { message: GOOD, metadata: 7 }, 'metadata'],
  ['a configuration that is a string', configured('x'), 'configuration'],
  ['returnImmediately "yes"', configured({ returnImmediately: 'yes' }), 'configuration.returnImmediately'],
  ['historyLength 1.5', configured({ historyLength: 1.5 }), 'configuration.historyLength'],
  ['historyLength -1', configured({ historyLength: -1 }), 'configuration.historyLength'],
  ['historyLength "x"', configured({ historyLength: 'x' }), 'configuration.historyLength'],
  ['acceptedOutputModes 7', configured({ acceptedOutputModes: 7 }), 'configuration.acceptedOutputModes'],
  [
    'a push config without url',
    configured({ taskPushNotificationConfig: {} }),
    'configuration.taskPushNotificationConfig.url',
  ],
  [
    'a push config whose authentication has no scheme',
    configured({ taskPushNotificationConfig: { url: PUSH.url, authentication: { credentials: 'x' } } }),
    'configuration.taskPushNotificationConfig.authentication.scheme',
  ],
];

/** What only JSON-RPC can leave out: HTTP+JSON has it in the path. */
const IDS: readonly (readonly [OperationName, Params, string])[] = [
  ['GetTask', {}, 'id'],
  ['GetTask', { id: '' }, 'id'],
  ['GetTask', { id: 7 }, 'id'],
  ['CancelTask', {}, 'id'],
  ['SubscribeToTask', {}, 'id'],
  ['CreateTaskPushNotificationConfig', { url: PUSH.url }, 'taskId'],
  ['GetTaskPushNotificationConfig', { id: 'c' }, 'taskId'],
  ['GetTaskPushNotificationConfig', { taskId: 't' }, 'id'],
  ['ListTaskPushNotificationConfigs', {}, 'taskId'],
  ['DeleteTaskPushNotificationConfig', { id: 'c' }, 'taskId'],
  ['DeleteTaskPushNotificationConfig', { taskId: 't' }, 'id'],
];

const OTHERS: readonly (readonly [OperationName, Params, string])[] = [
  ['GetTask', { id: 't', historyLength: -1 }, 'historyLength'],
  ['GetTask', { id: 't', historyLength: 'x' }, 'historyLength'],
  ['GetTask', { id: 't', historyLength: 1.5 }, 'historyLength'],
  ['GetTask', { id: 't', historyLength: 2 ** 31 }, 'historyLength'],
  ['CancelTask', { id: 't', metadata: [] }, 'metadata'],
  ['CreateTaskPushNotificationConfig', { taskId: 't' }, 'url'],
  ['CreateTaskPushNotificationConfig', { ...PUSH, url: '' }, 'url'],
  ['CreateTaskPushNotificationConfig', { ...PUSH, url: 7 }, 'url'],
  ['CreateTaskPushNotificationConfig', { ...PUSH, token: 7 }, 'token'],
  ['CreateTaskPushNotificationConfig', { ...PUSH, authentication: {} }, 'authentication.scheme'],
];

describe.each(PLATFORMS)('validation on %s', (platform) => {
  let served: ServedApp;
  let agent: EchoAgent;
  let store: MemoryTaskStore;
  let queue: MemoryQueueManager;
  let pushStore: MemoryPushNotificationConfigStore;

  beforeAll(async () => {
    pushStore = new MemoryPushNotificationConfigStore();
    served = await serveApp(platform, {
      agents: [EchoAgent],
      options: { pushNotificationConfigStore: pushStore, push: { send: false } },
    });
    agent = served.app.get(EchoAgent);
    store = served.app.get<unknown, MemoryTaskStore>(TaskStore);
    queue = served.app.get<unknown, MemoryQueueManager>(QueueManager);
  });
  afterAll(() => served?.close());

  describe.each(BINDINGS)('D06 over %s', (binding) => {
    const peer = () => served.peer(binding);
    const traces = () => ({ runs: agent.runs, tasks: store.size, logs: queue.size, configs: pushStore.size });
    let before: ReturnType<typeof traces>;

    beforeEach(() => {
      before = traces();
    });

    async function expectRefused(operation: OperationName, params: Params, field: string): Promise<void> {
      const refusal = await peer().refused(operation, params);
      expect(refusal).toMatchObject({ reason: 'INVALID_PARAMS', domain: 'a2a-protocol.org' });
      expect(refusal.fields).toContain(field);
      if (binding === 'JSONRPC') expect(refusal).toMatchObject({ httpStatus: 200, code: -32602 });
      else expect(refusal).toMatchObject({ httpStatus: 400, code: 400, status: 'INVALID_ARGUMENT' });
      expect(refusal.message).toContain(field);
      expect(traces()).toEqual(before);
    }

    it.each(SENDS)('refuses %s', async (_, params, field) => {
      await expectRefused('SendMessage', params, field);
      await expectRefused('SendStreamingMessage', params, field);
    });

    it.each(OTHERS)('refuses %s with %j', expectRefused);

    if (binding === 'JSONRPC') it.each(IDS)('refuses %s with %j', expectRefused);

    it('names everything that is wrong at once', async () => {
      const refusal = await peer().refused('SendMessage', { message: { parts: [{}, { raw: '%' }] } });
      expect(refusal.fields.toSorted()).toEqual([
        'message.messageId',
        'message.parts[0]',
        'message.parts[1].raw',
        'message.role',
      ]);
      expect(refusal.details.map((detail) => detail['@type'])).toEqual([
        'type.googleapis.com/google.rpc.ErrorInfo',
        'type.googleapis.com/google.rpc.BadRequest',
      ]);
    });
  });

  describe.each(BINDINGS)('D07 over %s', (binding) => {
    const peer = () => served.peer(binding);

    /** Sends a part as it is written, and gives back the bytes of the answers: of the send, the stream and GetTask. */
    async function roundTrip(json: string): Promise<string[]> {
      const body = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[${json}]}}`;
      const post = (operation: OperationName, path: string) =>
        fetch(`${peer().url}/${binding === 'JSONRPC' ? 'jsonrpc' : `rest/${path}`}`, {
          method: 'POST',
          headers: headersOf({ 'content-type': 'application/json' }),
          body:
            binding === 'JSONRPC'
              ? `{"jsonrpc":"2.0","id":1,"method":"${operation}","params":${body}}`
              : body,
        }).then((response) => response.text());
      const sent = await post('SendMessage', 'message:send');
      const streamed = await post('SendStreamingMessage', 'message:stream');
      const parsed = JSON.parse(sent);
      const { id } = (parsed.result ?? parsed).task;
      return [sent, streamed, await (await peer().request('GetTask', { id })).text()];
    }

    it.each([
      '{"a":1,"b":[true,false,null],"c":{"d":"e"}}',
      '{}',
      '[]',
      '[1,[2,[3]],{}]',
      '"text"',
      '""',
      '"\\u0000 \\u2028 😀"',
      '0',
      '-1.5',
      '1e+21',
      'true',
      'false',
      'null',
      '{"__proto__":{"x":1},"constructor":2}',
      '{"b":1,"a":2}',
      '9007199254740991',
    ])('carries data %s through executor, store and stream as it is', async (json) => {
      const written = JSON.stringify(JSON.parse(json));
      for (const text of await roundTrip(`{"data":${json}}`)) {
        // Once in the history, once in the artifact.
        expect(text.split(`"parts":[{"data":${written}}]`)).toHaveLength(3);
      }
    });

    it.each([
      ['standard', 'a+/b+w==', 'a+/b+w=='],
      ['standard without padding', 'a+/b+w', 'a+/b+w=='],
      ['URL-safe', 'a-_b-w==', 'a+/b+w=='],
      ['URL-safe without padding', 'a-_b-w', 'a+/b+w=='],
      ['full groups', 'AAECAwQF', 'AAECAwQF'],
      ['nothing', '', ''],
    ])('takes base64 that is %s, and shows it in the standard form', async (_, given, shown) => {
      for (const text of await roundTrip(`{"raw":"${given}"}`)) {
        expect(text.split(`"parts":[{"raw":"${shown}"}]`)).toHaveLength(3);
      }
    });

    it('keeps an empty text, file name, media type and metadata of a part', async () => {
      const json = '{"text":"","metadata":{"k":[null]},"filename":"a.txt","mediaType":"text/x-Y; a=B"}';
      const [sent, streamed, got] = await roundTrip(json);
      for (const text of [sent!, got!]) expect(taskIn(text).artifacts[0].parts).toEqual([JSON.parse(json)]);
      expect(streamed).toContain(json);
    });

    it('carries numbers as doubles: 2^53+1 becomes 2^53', async () => {
      for (const text of await roundTrip('{"data":9007199254740993}')) {
        expect(text).toContain('{"data":9007199254740992}');
      }
    });

    it.each([
      ['NaN', 'JSON_PARSE'],
      ['Infinity', 'JSON_PARSE'],
      ['1e400', 'INVALID_PARAMS'],
      ['[0,{"a":-1e999}]', 'INVALID_PARAMS'],
    ])('refuses the number %s with %s', async (json, reason) => {
      const body = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${json}}]}}`;
      const response = await fetch(
        `${peer().url}/${binding === 'JSONRPC' ? 'jsonrpc' : 'rest/message:send'}`,
        {
          method: 'POST',
          headers: headersOf({ 'content-type': 'application/json' }),
          body:
            binding === 'JSONRPC' ? `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${body}}` : body,
        },
      );
      const { refusal } = await peer().read(response);
      expect(refusal?.reason).toBe(reason);
      if (reason === 'INVALID_PARAMS') expect(refusal?.fields).toEqual(['message.parts[0].data']);
    });

    it('takes what it does not know, and leaves it out', async () => {
      const params = { ...M('hi', { message: { kind: 'message', x: 1 } as object }), novelty: true };
      const { task } = await peer().ok('SendMessage', params);
      expect(task.history[0]).not.toHaveProperty('kind');
      expect(task.history[0]).not.toHaveProperty('x');
    });

    it('takes the names of the proto file, and numbers of enums', async () => {
      const { task } = await peer().ok('SendMessage', {
        message: { message_id: 'snake', role: 1, parts: [{ text: 'hi', media_type: 'text/plain' }] },
      });
      expect(task.history[0]).toMatchObject({
        messageId: 'snake',
        role: 'ROLE_USER',
        parts: [{ text: 'hi', mediaType: 'text/plain' }],
      });
    });
  });
});

function taskIn(text: string) {
  const parsed = JSON.parse(text);
  return parsed.result?.task ?? parsed.result ?? parsed.task ?? parsed;
}
