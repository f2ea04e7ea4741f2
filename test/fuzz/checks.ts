import type { RawAnswer } from './exchange.js';
import type { FuzzRequest } from './fuzz-request.js';

/** What an answer was: the reason of an error, or what kind of success. */
export type Outcome = string;

const JSON_TYPE = /^application\/(a2a\+)?json(; charset=utf-8)?$/;
const INTERNALS = /\bat .*:\d+:\d+|node_modules|\/lib\/\w+|\.[jt]s:\d+/;
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
/** Errors that are known before the id is, or instead of it. */
const BEFORE_THE_ID = [-32700, -32600, -32601, -32005, -32000];

type Members = { [name: string]: any };

/** Throws what is wrong with an answer of the JSON-RPC binding. */
export function checkJsonRpc(request: FuzzRequest, answer: RawAnswer): Outcome {
  checkStatus(answer);
  const sent = envelopeIn(request.body);
  if (isStream(answer)) return checkEvents(answer, (data) => checkEnvelope(data, sent));
  if (answer.status === 204) {
    assert(answer.text === '' && sent && !('id' in sent), 'only a notification is not answered');
    return 'notification';
  }
  if (request.method === 'HEAD') return 'head';
  return checkEnvelope(readJson(answer), sent);
}

function checkEnvelope(json: Members, sent: Members | undefined): Outcome {
  const { jsonrpc, id, error, result } = json;
  assert(jsonrpc === '2.0' && 'id' in json, 'no envelope of JSON-RPC 2.0');
  assert('error' in json !== 'result' in json, 'either an error or a result');
  const echoed = JSON.stringify(sent?.['id'] ?? null);
  const mayMissId = error && BEFORE_THE_ID.includes(error.code);
  assert(JSON.stringify(id) === echoed || (mayMissId && id === null), `the id must be ${echoed}`);
  if (!error) {
    assert(isObject(result), 'the result must be an object');
    return 'success';
  }
  assert(
    Number.isInteger(error.code) && error.code !== -32603,
    'an error of the caller has a code of its own',
  );
  assert(typeof error.message === 'string' && error.message !== '', 'an error has a message');
  return reasonIn(error.data);
}

/** Fastify's router refuses what it cannot decode before anybody else sees it, in a shape of its own. */
export function checkRouter(request: FuzzRequest, answer: RawAnswer): Outcome {
  checkStatus(answer);
  assert(answer.status === 400, 'the router refuses the path');
  assert(request.method === 'HEAD' || readJson(answer)['code'] === 'FST_ERR_BAD_URL', 'the router says so');
  return 'router';
}

export function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path.split('?')[0]!);
    return true;
  } catch {
    return false;
  }
}

/** Throws what is wrong with an answer of the HTTP+JSON binding. */
export function checkRest(request: FuzzRequest, answer: RawAnswer): Outcome {
  checkStatus(answer);
  if (isStream(answer)) return checkEvents(answer, (data) => checkSuccess(data));
  if (request.method === 'HEAD') return 'head';
  const json = readJson(answer);
  if (answer.status === 200) return checkSuccess(json);
  const { error, ...others } = json;
  assert(isObject(error) && Object.keys(others).length === 0, 'an error has the member `error` and no other');
  const { code, status, message, details } = error;
  assert(code === answer.status && code >= 400, 'the code must be the HTTP status');
  assert(typeof status === 'string' && /^[A-Z_]+$/.test(status), 'the status must be a name');
  assert(typeof message === 'string' && message !== '', 'an error has a message');
  return reasonIn(details);
}

function checkSuccess(json: Members): Outcome {
  assert(!('error' in json), 'a success has no error');
  return 'success';
}

function checkStatus({ status, text }: RawAnswer): void {
  assert(status >= 200 && status < 500, 'never a failure of the server');
  assert(!INTERNALS.test(text), 'internals leak');
}

function isStream({ headers }: RawAnswer): boolean {
  return headers['content-type'] === 'text/event-stream';
}

/** The last frame may be cut off: the client leaves when it likes. */
function checkEvents({ status, text }: RawAnswer, check: (data: Members) => Outcome): Outcome {
  assert(status === 200, 'a stream has status 200');
  for (const frame of text.split('\n\n').slice(0, -1)) {
    if (frame.startsWith(':')) continue;
    const match = /^id: \d+\ndata: ([^\n]*)$/.exec(frame);
    assert(match, 'a frame has a number and data');
    assert(check(JSON.parse(match[1]!)) === 'success', 'a stream tells of no failure');
  }
  return 'stream';
}

function readJson({ headers, text }: RawAnswer): Members {
  assert(JSON_TYPE.test(headers['content-type'] ?? ''), 'the content type must be JSON');
  const json: unknown = JSON.parse(text);
  assert(isObject(json), 'the body must be an object');
  return json;
}

function reasonIn(details: unknown): Outcome {
  assert(Array.isArray(details), 'details are an array');
  assert(
    details.every((detail) => typeof detail?.['@type'] === 'string'),
    'each detail has a type',
  );
  const info = details.find((detail) => detail['@type'] === ERROR_INFO);
  assert(
    info?.domain === 'a2a-protocol.org' && typeof info.reason === 'string',
    'ErrorInfo names the reason',
  );
  return info.reason;
}

/** What the server can know of the envelope: undefined when the body is none. */
function envelopeIn(body: string | undefined): Members | undefined {
  const json = parseBytes(body ?? '');
  if (!isObject(json) || json['jsonrpc'] !== '2.0' || typeof json['method'] !== 'string') return undefined;
  const { id } = json;
  return !('id' in json) || id === null || typeof id === 'string' || typeof id === 'number'
    ? json
    : undefined;
}

function parseBytes(body: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body, 'latin1')));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assert(holds: unknown, rule: string): asserts holds {
  if (!holds) throw new Error(rule);
}
