// @ts-check
// Answers for the benchmark of clients: JSON-RPC and HTTP+JSON, nothing but the id computed at the time of the request.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { ready } from './tell.js';

const id = randomUUID();
const contextId = randomUUID();
const artifactId = randomUUID();
const timestamp = new Date().toISOString();

const task = {
  id,
  contextId,
  status: { state: 'TASK_STATE_COMPLETED', timestamp },
  artifacts: [{ artifactId, parts: [{ text: 'Hello, quick' }] }],
  history: [
    { messageId: randomUUID(), contextId, taskId: id, role: 'ROLE_USER', parts: [{ text: 'quick' }] },
  ],
};

const EVENTS = Number(process.env.EVENTS ?? 1_000);

/** A story of so many events, as agents of language models tell it: a word or two in each. */
const story = Array.from({ length: EVENTS }, (_, i) => {
  if (i === 0) return { task: { id, contextId, status: { state: 'TASK_STATE_WORKING', timestamp } } };
  const last = { taskId: id, contextId, status: { state: 'TASK_STATE_COMPLETED', timestamp } };
  if (i === EVENTS - 1) return { statusUpdate: last };
  const artifact = { artifactId, parts: [{ text: `token-${i} ` }] };
  return {
    artifactUpdate: { taskId: id, contextId, artifact, append: i > 1, lastChunk: i === EVENTS - 2 },
  };
});

const answer = JSON.stringify({ task });
const events = story.map((event) => JSON.stringify(event));

const server = createServer(async (request, response) => {
  const { url = '/' } = request;
  if (url.includes('/.well-known/')) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(cardOf(String(request.headers.host))));
    return;
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  if (url.startsWith('/a2a/rest')) {
    if (url.includes(':stream')) stream(response, (event) => event);
    else send(response, 'application/a2a+json', answer);
    return;
  }
  const { id: callId, method } = JSON.parse(body);
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(callId)},"result":`;
  if (method === 'SendStreamingMessage') stream(response, (event) => `${head}${event}}`);
  else send(response, 'application/json', `${head}${answer}}`);
});

/** @param {import('node:http').ServerResponse} response @param {string} type @param {string} body */
function send(response, type, body) {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** One write for each event, as servers do it. @param {import('node:http').ServerResponse} response @param {(event: string) => string} wrap */
async function stream(response, wrap) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [i, event] of events.entries()) {
    const drained = response.write(`id: ${i + 1}\ndata: ${wrap(event)}\n\n`);
    if (!drained) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

/** @param {string} host */
function cardOf(host) {
  const base = `http://${host}/a2a`;
  return {
    name: 'Canned',
    description: 'Always says the same',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${base}/jsonrpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${base}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  ready(address.port);
});
