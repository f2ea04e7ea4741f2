// @ts-check
// The official SDK's client, made as its documentation makes it.
import { randomUUID } from 'node:crypto';
import { Role } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';

/** @import { BenchClient } from './driver.js' */

/** @param {string} base @param {'JSONRPC' | 'HTTP+JSON'} binding @returns {Promise<BenchClient>} */
export async function connect(base, binding) {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory(), new RestTransportFactory()],
      preferredTransports: [binding],
    }),
  );
  const client = await factory.createFromUrl(base);
  return {
    async call() {
      const answer = await client.sendMessage(request());
      if (!('artifacts' in answer) || answer.artifacts.length !== 1) throw new Error('That is not the task');
    },
    async stream() {
      let count = 0;
      for await (const event of client.sendMessageStream(request())) if (event.payload) count += 1;
      return count;
    },
    async close() {},
  };
}

function request() {
  const part = { content: { $case: /** @type {const} */ ('text'), value: 'quick' }, metadata: undefined };
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ ...part, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}
