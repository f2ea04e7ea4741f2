import type { SendMessageRequest } from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  isJsonRpcError,
  isRestError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { expect, it } from 'vitest';
import { onEveryWire } from './on-every-wire.js';
import { send, sendForTask, textPart, V1 } from './sdk.js';

onEveryWire('errors', {}, (wire) => {
  const failure = async (request: SendMessageRequest, options = V1): Promise<unknown> =>
    wire.client.transport.sendMessage(request, options).then(
      () => undefined,
      (error: unknown) => error,
    );

  it('TaskNotFoundError, with the binding’s own code', async () => {
    const error = await wire.client.getTask({ tenant: '', id: 'missing' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskNotFoundError);
    if (wire.binding === 'JSONRPC') {
      expect(isJsonRpcError(error) && error.envelopeCode).toBe(-32001);
      const info = { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org', metadata: { taskId: 'missing' } };
      expect(error).toMatchObject({ data: [info] });
    } else {
      expect(isRestError(error) && error.statusCode).toBe(404);
      expect(error).toMatchObject({ metadata: { taskId: 'missing' } });
    }
  });

  it('TaskNotFoundError for a message to a task that is not there', async () => {
    expect(await failure(send('quick', { message: { taskId: 'missing' } }))).toBeInstanceOf(
      TaskNotFoundError,
    );
  });

  it('UnsupportedOperationError for a message to a task that has ended', async () => {
    const { id } = await sendForTask(wire.client, 'quick');
    expect(await failure(send('quick', { message: { taskId: id } }))).toBeInstanceOf(
      UnsupportedOperationError,
    );
  });

  it('ContentTypeNotSupportedError for a part of a type that the agent does not take', async () => {
    const parts = [{ ...textPart('quick'), mediaType: 'text/html' }];
    expect(await failure(send('', { message: { parts } }))).toBeInstanceOf(ContentTypeNotSupportedError);
  });

  it.each([
    ['no message', { ...send(''), message: undefined }, 'message'],
    ['no parts', send('', { message: { parts: [] } }), 'message.parts'],
    [
      'a part without content',
      send('', { message: { parts: [{ ...textPart(''), content: undefined }] } }),
      'message.parts[0]',
    ],
    ['no messageId', send('quick', { message: { messageId: '' } }), 'message.messageId'],
    ['no role', send('quick', { message: { role: 0 } }), 'message.role'],
    ['a negative historyLength', send('quick', { configuration: { historyLength: -1 } }), 'historyLength'],
  ])('RequestMalformedError for %s, which names the member', async (_name, request, member) => {
    const error = await failure(request);
    expect(error).toBeInstanceOf(RequestMalformedError);
    expect(error).toMatchObject({ message: expect.stringContaining(member) });
  });

  it('RequestMalformedError for a context that is not the task’s', async () => {
    const { id } = await sendForTask(wire.client, 'park');
    const error = await failure(send('finish', { message: { taskId: id, contextId: 'another' } }));
    expect(error).toBeInstanceOf(RequestMalformedError);
  });

  it.each([['0.3'], ['2.0'], ['new']])('VersionNotSupportedError for version %s', async (version) => {
    const error = await failure(send('quick'), { serviceParameters: { 'A2A-Version': version } });
    expect(error).toBeInstanceOf(VersionNotSupportedError);
    expect(error).toMatchObject({ message: expect.stringContaining('1.0') });
  });

  it('VersionNotSupportedError for no version, which is 0.3', async () => {
    expect(await failure(send('quick'), {})).toBeInstanceOf(VersionNotSupportedError);
  });

  it('the same errors before a stream opens', async () => {
    const open = (request: SendMessageRequest) => wire.client.sendMessageStream(request).next();
    await expect(open(send('quick', { message: { taskId: 'missing' } }))).rejects.toBeInstanceOf(
      TaskNotFoundError,
    );
    await expect(open(send('', { message: { parts: [] } }))).rejects.toBeInstanceOf(RequestMalformedError);
    await expect(wire.client.resubscribeTask({ tenant: '', id: 'missing' }).next()).rejects.toBeInstanceOf(
      TaskNotFoundError,
    );
  });
});
