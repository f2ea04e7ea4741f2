// @ts-check
// What the load generator can do to the server on a port.
import { connect } from 'node:net';
import { HttpConnection } from './http-connection.js';
import { percentile } from '../statistics.js';
import { REQUESTS } from './requests.js';

let serial = 0;

/** @param {string} name @param {string} argument */
function request(name, argument = '') {
  const make = REQUESTS[name];
  if (!make) throw new Error(`There is no request ${name}`);
  return make(argument);
}

/** @param {number} port @param {import('./requests.js').Request[]} requests @param {number} concurrency @param {(sent: number) => boolean} goesOn */
async function drive(port, requests, concurrency, goesOn) {
  let sent = 0;
  const start = performance.now();
  const work = async () => {
    const connection = new HttpConnection(port);
    while (goesOn(sent)) {
      const { bytes, check } = /** @type {import('./requests.js').Request} */ (
        requests[sent++ % requests.length]
      );
      check(await connection.request(bytes(serial++)));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { sent, ms: performance.now() - start };
}

/** Ids of new tasks. @param {number} port @param {string} name @param {number} count @param {string} argument */
async function create(port, name, count, argument = '') {
  const { bytes, check } = request(name, argument);
  const connection = new HttpConnection(port);
  const ids = [];
  for (let i = 0; i < count; i++) {
    const answer = await connection.request(bytes(serial++));
    check(answer);
    ids.push(/** @type {string} */ (JSON.parse(answer.body).result.task.id));
  }
  connection.close();
  return ids;
}

/** @type {import('node:net').Socket[]} */
let subscribers = [];

/** Opens a stream and resolves at its first event. @param {number} port @param {string} id */
function subscribe(port, id) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    subscribers.push(socket);
    socket.setEncoding('latin1');
    let head = '';
    socket.on('data', (data) => {
      if (head.length < 4_096) head += String(data);
      if (head.includes('text/event-stream') && head.includes('data:')) resolve(undefined);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`The subscription ended: ${head}`)));
    socket.write(request('subscribe', id).bytes(serial++), 'latin1');
  });
}

/** Microseconds of a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint() / 1_000n);

/** Ms from when the agent emits a tick to when its event arrives here. @param {number} port @param {string} id @returns {Promise<number[]>} */
function receiveTicks(port, id) {
  return new Promise((resolve, reject) => {
    /** @type {number[]} */
    const delays = [];
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1');
    let rest = '';
    socket.on('data', (data) => {
      const at = now();
      const lines = (rest + data).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const tick = line.includes('"artifactUpdate"') && /"text":"(\d+)"/.exec(line)?.[1];
        if (tick) delays.push((at - Number(tick)) / 1_000);
        if (!line.includes('"TASK_STATE_COMPLETED"')) continue;
        socket.destroy();
        resolve(delays);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`The stream ended before its task: ${rest}`)));
    socket.write(request('subscribe', id).bytes(serial++), 'latin1');
  });
}

export const JOBS = {
  /** Requests per second. @param {{ port: number, name: string, ms: number, concurrency: number, ids?: string[] }} job */
  async rate({ port, name, ms, concurrency, ids = [''] }) {
    const end = performance.now() + ms;
    const requests = ids.map((id) => request(name, id));
    const done = await drive(port, requests, concurrency, () => performance.now() < end);
    return (done.sent / done.ms) * 1_000;
  },

  /** Sends so many. @param {{ port: number, name: string, count: number, concurrency: number }} job */
  async send({ port, name, count, concurrency }) {
    return (await drive(port, [request(name)], concurrency, (sent) => sent < count)).sent;
  },

  /** Milliseconds that one stream takes. @param {{ port: number, name: string, argument: string }} job */
  async time({ port, name, argument }) {
    return (await drive(port, [request(name, argument)], 1, (sent) => sent < 1)).ms;
  },

  /** How late events are, in ms, of a task that runs on one port and is followed on another. @param {{ startPort: number, port: number, count: number }} job */
  async latency({ startPort, port, count }) {
    const [id] = await create(startPort, 'startTicks', 1, String(count));
    const delays = await receiveTicks(port, String(id));
    if (delays.length < 0.9 * count) throw new Error(`Only ${delays.length} of ${count} ticks came`);
    return { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) };
  },

  /** @param {{ port: number, name: string, count: number }} job */
  create: ({ port, name, count }) => create(port, name, count),

  /** Opens idle subscriptions, spread over the tasks. @param {{ port: number, ids: string[], count: number }} job */
  async subscribe({ port, ids, count }) {
    for (let open = 0; open < count;) {
      const batch = Math.min(50, count - open);
      await Promise.all(
        Array.from({ length: batch }, (_, i) => subscribe(port, String(ids[(open + i) % ids.length]))),
      );
      open += batch;
    }
    return count;
  },

  async unsubscribe() {
    for (const socket of subscribers) socket.destroy();
    subscribers = [];
  },
};
