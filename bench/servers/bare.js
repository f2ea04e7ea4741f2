// @ts-check
// The floor: Fastify parses the JSON-RPC request and stringifies a constant task as large as a real answer.
import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import { ready } from './tell.js';

const id = randomUUID();
const contextId = randomUUID();
const task = {
  id,
  contextId,
  status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
  artifacts: [{ artifactId: randomUUID(), parts: [{ text: 'Hello, quick' }] }],
  history: [
    { messageId: randomUUID(), contextId, taskId: id, role: 'ROLE_USER', parts: [{ text: 'quick' }] },
  ],
};

const app = fastify();
app.post('/a2a/jsonrpc', async (request) => {
  const body = /** @type {{ id: unknown }} */ (request.body);
  return { jsonrpc: '2.0', id: body.id, result: { task } };
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
ready(Number(new URL(address).port));
