import { ProtocolViolationError } from 'nest-a2a/client';
import { expect, it } from 'vitest';
import { taskEvent, taskOf } from '../../support/hostile-events.js';
import { against, eventsOf, SEND } from './against.js';

const RESULT = taskEvent('TASK_STATE_COMPLETED');
const ERROR = { code: -32_001, message: 'Gone' };

/** Envelopes that answer no request, made from the id that was asked with (D11). */
const WRONG_ENVELOPES: [string, (id: unknown) => unknown][] = [
  ['no jsonrpc', (id) => ({ id, result: RESULT })],
  ['another jsonrpc', (id) => ({ jsonrpc: '1.0', id, result: RESULT })],
  ['jsonrpc as a number', (id) => ({ jsonrpc: 2, id, result: RESULT })],
  ['another id', () => ({ jsonrpc: '2.0', id: 987_654, result: RESULT })],
  ['no id', () => ({ jsonrpc: '2.0', result: RESULT })],
  ['the id null', () => ({ jsonrpc: '2.0', id: null, result: RESULT })],
  [
    'the id in another type',
    (id) => ({ jsonrpc: '2.0', id: typeof id === 'number' ? String(id) : Number(id), result: RESULT }),
  ],
  ['an error for another id', () => ({ jsonrpc: '2.0', id: 987_654, error: ERROR })],
  ['both a result and an error', (id) => ({ jsonrpc: '2.0', id, result: RESULT, error: ERROR })],
  ['neither a result nor an error', (id) => ({ jsonrpc: '2.0', id })],
  ['an error that is a text', (id) => ({ jsonrpc: '2.0', id, error: 'no' })],
  ['a list of answers', (id) => [{ jsonrpc: '2.0', id, result: RESULT }]],
  ['no envelope', () => RESULT],
  ['null', () => null],
  ['a text', () => 'ok'],
];

/** Results that are not what was asked for. */
const WRONG_RESULTS: [string, unknown][] = [
  ['null', null],
  ['a number', 1],
  ['a list', [RESULT]],
  ['an empty object', {}],
  ['the task without its member', taskOf('TASK_STATE_COMPLETED')],
  ['a task and a message', { ...RESULT, message: { messageId: 'm', role: 'ROLE_AGENT', parts: [] } }],
  ['a task without a status', { task: { id: 't', contextId: 'c' } }],
  ['a task without an id', { task: { status: { state: 'TASK_STATE_COMPLETED' } } }],
  ['a task whose status is a text', { task: { id: 't', status: 'TASK_STATE_COMPLETED' } }],
  ['a message without parts', { message: { messageId: 'm', role: 'ROLE_AGENT' } }],
];

against('an answer', (hostile) => {
  if (hostile.binding === 'JSONRPC') {
    it.each(WRONG_ENVELOPES)('with %s is refused', async (_, envelope) => {
      hostile.agent.script((exchange) => exchange.json(envelope(exchange.request.json.id)));
      await expect(hostile.client().sendMessage(SEND)).rejects.toBeInstanceOf(ProtocolViolationError);
    });

    it.each(WRONG_ENVELOPES)('with %s is refused as an event of a stream', async (_, envelope) => {
      hostile.agent.script(async (exchange) => {
        await exchange.stream();
        await exchange.write(`data: ${JSON.stringify(envelope(exchange.request.json.id))}\n\n`);
        await exchange.left;
      });
      const stream = hostile.client().sendStreamingMessage(SEND);
      await expect(eventsOf(stream)).rejects.toBeInstanceOf(ProtocolViolationError);
    });

    it('may have the id null where the peer could not read the request', async () => {
      hostile.agent.script((exchange) =>
        exchange.json({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'No JSON' } }),
      );
      await expect(hostile.client().sendMessage(SEND)).rejects.toMatchObject({ reason: 'JSON_PARSE' });
    });
  }

  const isRpc = hostile.binding === 'JSONRPC';

  it.each(WRONG_RESULTS)('that is %s is refused', async (_, result) => {
    hostile.agent.script((exchange) =>
      exchange.json(isRpc ? { jsonrpc: '2.0', id: exchange.request.json.id, result } : result),
    );
    await expect(hostile.client().sendMessage(SEND)).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it.each(WRONG_RESULTS)('that is %s is refused as an event of a stream', async (_, result) => {
    hostile.agent.script(async (exchange) => {
      const data = isRpc ? { jsonrpc: '2.0', id: exchange.request.json.id, result } : result;
      await exchange.stream();
      await exchange.write(`data: ${JSON.stringify(data)}\n\n`);
      await exchange.left;
    });
    const stream = hostile.client().sendStreamingMessage(SEND);
    await expect(eventsOf(stream)).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it.each(['GetTask', 'ListTasks', 'CancelTask', 'GetExtendedAgentCard', 'push'] as const)(
    'to %s that is none is refused',
    async (operation) => {
      hostile.agent.script((exchange) =>
        exchange.json(isRpc ? { jsonrpc: '2.0', id: exchange.request.json.id, result: 7 } : 7),
      );
      const client = hostile.client();
      const calls = {
        GetTask: () => client.getTask({ id: 't' }),
        ListTasks: () => client.listTasks(),
        CancelTask: () => client.cancelTask({ id: 't' }),
        GetExtendedAgentCard: () => client.getExtendedAgentCard(),
        push: () => client.createTaskPushNotificationConfig({ taskId: 't', url: 'https://example.com' }),
      };
      await expect(calls[operation]()).rejects.toBeInstanceOf(ProtocolViolationError);
    },
  );
});
