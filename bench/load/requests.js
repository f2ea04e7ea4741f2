// @ts-check
// The requests of the benchmark as the bytes of HTTP/1.1, and what a right answer to each looks like.

/** @typedef {import('./http-connection.js').Answer} Answer */
/** @typedef {{ bytes: (serial: number) => string, check: (answer: Answer) => void }} Request */

const SERIAL = '{serial}';

/** @param {string} text */
const message = (text) => ({ messageId: `bench-${SERIAL}`, role: 'ROLE_USER', parts: [{ text }] });

/** @param {string} method @param {unknown} params */
const rpc = (method, params, headers = /** @type {string[]} */ ([])) =>
  post('/a2a/jsonrpc', { jsonrpc: '2.0', id: 1, method, params }, headers);

/** @param {string} path @param {unknown} body @param {string[]} headers */
function post(path, body, headers = []) {
  const [before, after] = JSON.stringify(body).split(SERIAL);
  const length = after === undefined ? 0 : 10;
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'A2A-Version: 1.0',
    ...headers,
    `Content-Length: ${(before?.length ?? 0) + (after?.length ?? 0) + length}`,
    '\r\n',
  ].join('\r\n');
  if (after === undefined) return () => head + before;
  return (/** @type {number} */ serial) => head + before + String(serial).padStart(length, '0') + after;
}

/** @param {string[]} wanted @returns {(answer: Answer) => void} */
function answers(...wanted) {
  return ({ status, body }) => {
    const missing = wanted.find((text) => !body.includes(text));
    if (status !== 200 || missing !== undefined) {
      throw new Error(`Wrong answer: ${missing ?? 'status'} expected, got ${status} ${body.slice(0, 500)}`);
    }
  };
}

/** @param {string} text @param {number} artifacts @returns {Request} */
function stream(text, artifacts) {
  const completes = answers('"TASK_STATE_COMPLETED"');
  return {
    bytes: rpc('SendStreamingMessage', { message: message(text) }),
    check(answer) {
      completes(answer);
      const count = answer.body.split('"artifactUpdate"').length - 1;
      if (count !== artifacts)
        throw new Error(`Wrong stream: ${count} artifact updates instead of ${artifacts}`);
    },
  };
}

const hello = answers('"TASK_STATE_COMPLETED"', 'Hello, quick', 'ROLE_USER');

/** @type {Record<string, (argument: string) => Request>} */
export const REQUESTS = {
  sendRpc: () => ({ bytes: rpc('SendMessage', { message: message('quick') }), check: hello }),
  sendRest: () => ({ bytes: post('/a2a/rest/message:send', { message: message('quick') }), check: hello }),
  sendAs: (token) => ({
    bytes: rpc('SendMessage', { message: message('quick') }, [`Authorization: Bearer ${token}`]),
    check: hello,
  }),
  streamQuick: () => stream('quick', 1),
  streamChunks: (n) => stream(`chunks:${n}`, Number(n)),
  sendWebhook: (url) => ({
    bytes: rpc('SendMessage', {
      message: message('quick'),
      configuration: { taskPushNotificationConfig: { url } },
    }),
    check: hello,
  }),
  startHold: () => ({
    bytes: rpc('SendMessage', {
      message: message('hold:600000'),
      configuration: { returnImmediately: true },
    }),
    check: answers('"contextId"'),
  }),
  startTicks: (n) => ({
    bytes: rpc('SendMessage', {
      message: message(`ticks:${n}`),
      configuration: { returnImmediately: true },
    }),
    check: answers('"contextId"'),
  }),
  getTask: (id) => ({ bytes: rpc('GetTask', { id }), check: hello }),
  subscribe: (id) => ({ bytes: rpc('SubscribeToTask', { id }), check: () => undefined }),
};
