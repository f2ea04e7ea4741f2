// @ts-check
import { randomUUID } from 'node:crypto';
import { createA2AClient } from 'nest-a2a/client';

/** @import { BenchClient } from './driver.js' */

/** @param {string} base @param {'JSONRPC' | 'HTTP+JSON'} binding @returns {Promise<BenchClient>} */
export async function connect(base, binding) {
  const client = createA2AClient(base, { bindings: [binding] });
  return {
    async call() {
      const { task } = await client.sendMessage(request());
      if (task?.artifacts?.length !== 1) throw new Error('That is not the task');
    },
    async stream() {
      let count = 0;
      for await (const event of client.sendStreamingMessage(request())) if (event) count += 1;
      return count;
    },
    close: () => client.close(),
  };
}

/** @returns {import('nest-a2a').SendMessageRequest} */
function request() {
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'quick' }] } };
}
