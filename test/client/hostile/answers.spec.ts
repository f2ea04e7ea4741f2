import { gzipSync } from 'node:zlib';
import {
  A2AError,
  PermissionDeniedError,
  ResourceExhaustedError,
  TaskNotCancelableError,
  UnauthenticatedError,
  UnavailableError,
} from 'nest-a2a';
import {
  createA2AClient,
  ProtocolViolationError,
  TransportError,
  UnexpectedAnswerError,
} from 'nest-a2a/client';
import { expect, it } from 'vitest';
import { cardAt, type Reply } from '../../support/hostile-agent.js';
import { isRpc, taskOf, wrap } from '../../support/hostile-events.js';
import { against, eventsOf, finished, SEND } from './against.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const PAGE = '<html><h1>Not what you asked for</h1></html>';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Answers that are none of A2A, and the status that the error must tell. */
const PAGES: [string, number, Reply][] = [
  ['a 404 page', 404, (exchange) => exchange.answer(404, HTML, PAGE)],
  ['a 500 page', 500, (exchange) => exchange.answer(500, HTML, PAGE)],
  ['a 502 page', 502, (exchange) => exchange.answer(502, HTML, PAGE)],
  ['a 200 page', 200, (exchange) => exchange.answer(200, HTML, PAGE)],
  ['a text', 200, (exchange) => exchange.answer(200, { 'content-type': 'text/plain' }, 'ok')],
  [
    'an answer without a type',
    200,
    (exchange) => exchange.answer(200, {}, JSON.stringify(finished(exchange))),
  ],
  [
    'JSON that calls itself text',
    200,
    (exchange) => exchange.answer(200, HTML, JSON.stringify(finished(exchange))),
  ],
  ['204', 204, (exchange) => exchange.answer(204, {}, '')],
  ['205 and no body', 205, (exchange) => exchange.answer(205, {}, '')],
  ['an error in JSON that is nobody’s', 400, (exchange) => exchange.json({ message: 'no' }, 400)],
  [
    'an error in the shape of Nest',
    500,
    (exchange) => exchange.json({ statusCode: 500, message: 'no' }, 500),
  ],
];

/** Bodies that call themselves JSON. */
const NO_JSON: [string, Reply][] = [
  ['an empty body', (exchange) => exchange.answer(200, JSON_TYPE, '')],
  ['blanks', (exchange) => exchange.answer(200, JSON_TYPE, ' \n ')],
  ['a page', (exchange) => exchange.answer(200, JSON_TYPE, PAGE)],
  [
    'half an answer',
    (exchange) => exchange.answer(200, JSON_TYPE, JSON.stringify(finished(exchange)).slice(0, -9)),
  ],
  [
    'an answer with garbage after it',
    (exchange) => exchange.answer(200, JSON_TYPE, `${JSON.stringify(finished(exchange))}}`),
  ],
  [
    'two answers',
    (exchange) => exchange.answer(200, JSON_TYPE, JSON.stringify(finished(exchange)).repeat(2)),
  ],
];

against('a peer that answers', (hostile) => {
  it.each(PAGES)(
    '%s is told by a typed error with its status, sends and streams alike',
    async (_, status, reply) => {
      hostile.agent.script(reply);
      const client = hostile.client();
      const told = { name: 'UnexpectedAnswerError', status };
      await expect(client.sendMessage(SEND)).rejects.toMatchObject(told);
      await expect(eventsOf(client.sendStreamingMessage(SEND))).rejects.toMatchObject(told);
      const error = await client.sendMessage(SEND).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnexpectedAnswerError);
      expect(String(error)).not.toContain('Not what you asked for');
    },
  );

  it.each(NO_JSON)('%s as JSON is told by a typed error', async (_, reply) => {
    hostile.agent.script(reply);
    const client = hostile.client();
    await expect(client.sendMessage(SEND)).rejects.toBeInstanceOf(ProtocolViolationError);
    await expect(eventsOf(client.sendStreamingMessage(SEND))).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it('JSON where a stream was asked for is told by a typed error', async () => {
    hostile.agent.script((exchange) => exchange.json(finished(exchange)));
    const stream = hostile.client().sendStreamingMessage(SEND);
    await expect(eventsOf(stream)).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it('a stream where an answer was asked for is told by a typed error', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      await exchange.left;
    });
    await expect(hostile.client().sendMessage(SEND)).rejects.toBeInstanceOf(UnexpectedAnswerError);
  });

  it('with upper-case and parameterised types is understood', async () => {
    hostile.agent.script((exchange) =>
      exchange.answer(
        200,
        { 'content-type': 'Application/JSON ; Charset=UTF-8' },
        JSON.stringify(finished(exchange)),
      ),
    );
    expect((await hostile.client().sendMessage(SEND)).task?.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('a BOM before its JSON is understood', async () => {
    hostile.agent.script((exchange) =>
      exchange.answer(200, JSON_TYPE, `\uFEFF${JSON.stringify(finished(exchange))}`),
    );
    expect((await hostile.client().sendMessage(SEND)).task?.id).toBeDefined();
  });

  it('in parts of one byte is understood', async () => {
    hostile.agent.script(async (exchange) => {
      const body = JSON.stringify(
        wrap(exchange.request, { task: taskOf('TASK_STATE_COMPLETED', 'Grüße 🦜') }),
      );
      await exchange.drip(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
    const { task } = await hostile.client().sendMessage(SEND);
    expect(task?.artifacts?.[0]?.parts[0]?.text).toBe('Grüße 🦜');
  });

  it('what only a later version knows is passed on as it is', async () => {
    const task = {
      ...taskOf('TASK_STATE_COMPLETED'),
      status: { state: 'TASK_STATE_FROM_THE_FUTURE', mood: 'good' },
      artifacts: [{ artifactId: 'a', parts: [{ hologram: { layers: 3 } }], colour: 'red' }],
      unheardOf: [1, { two: null }],
    };
    hostile.agent.script(async (exchange) => {
      if (!exchange.request.body.includes('Streaming') && !exchange.request.path.includes('stream'))
        return exchange.json(wrap(exchange.request, { task }));
      await exchange.stream();
      await exchange.write(`data: ${JSON.stringify(wrap(exchange.request, { task }))}\n\n`);
      const end = {
        statusUpdate: { taskId: task.id, contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } },
      };
      await exchange.write(`data: ${JSON.stringify(wrap(exchange.request, end))}\n\n`);
      exchange.end();
    });
    const client = hostile.client();
    expect((await client.sendMessage(SEND)).task).toEqual(task);
    expect((await eventsOf(client.sendStreamingMessage(SEND)))[0]?.task).toEqual(task);
  });

  it.each([
    [401, UnauthenticatedError],
    [403, PermissionDeniedError],
    [429, ResourceExhaustedError],
    [503, UnavailableError],
  ])('a %i page is told by the error of that status', async (status, type) => {
    hostile.agent.script((exchange) =>
      exchange.answer(status, { ...HTML, 'retry-after': '0', 'www-authenticate': 'Bearer realm="x"' }, PAGE),
    );
    const client = hostile.client();
    await expect(client.sendMessage(SEND)).rejects.toBeInstanceOf(type);
    await expect(eventsOf(client.sendStreamingMessage(SEND))).rejects.toBeInstanceOf(type);
  });

  it('401 tells the challenges', async () => {
    hostile.agent.script((exchange) => exchange.answer(401, { 'www-authenticate': 'Bearer realm="x"' }, ''));
    await expect(hostile.client().sendMessage(SEND)).rejects.toMatchObject({
      challenges: ['Bearer realm="x"'],
    });
  });

  it.each(['429', '503'])(
    '%s with Retry-After in seconds or as a date tells how long to wait',
    async (status) => {
      const client = hostile.client();
      hostile.agent.script((exchange) =>
        exchange.answer(Number(status), { ...HTML, 'retry-after': '17' }, PAGE),
      );
      await expect(client.sendMessage(SEND)).rejects.toMatchObject({ retryAfterSeconds: 17 });
      const date = new Date(Date.now() + 60_000).toUTCString();
      hostile.agent.script((exchange) =>
        exchange.answer(Number(status), { ...HTML, 'retry-after': date }, PAGE),
      );
      const error = await client.sendMessage(SEND).catch((reason: unknown) => reason);
      expect((error as UnavailableError).retryAfterSeconds).toBeGreaterThan(50);
      for (const junk of ['soon', '-1', '1e99', 'Infinity']) {
        hostile.agent.script((exchange) =>
          exchange.answer(Number(status), { ...HTML, 'retry-after': junk }, PAGE),
        );
        await expect(client.sendMessage(SEND)).rejects.toBeInstanceOf(A2AError);
      }
    },
  );

  it.each([
    ['1.0.0', 409],
    ['1.0.1', 400],
  ])('with the status table of %s is decided by its reason', async (_, status) => {
    const info = {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'TASK_NOT_CANCELABLE',
      domain: 'a2a-protocol.org',
    };
    hostile.agent.script((exchange) => {
      const error = { code: status, status: 'FAILED_PRECONDITION', message: 'Over', details: [info] };
      if (!isRpc(exchange.request)) return exchange.json({ error }, status);
      const { id } = exchange.request.json;
      return exchange.json({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Over', data: [info] } });
    });
    await expect(hostile.client().cancelTask({ id: 't' })).rejects.toBeInstanceOf(TaskNotCancelableError);
  });

  it('an error full of junk is told as an error all the same', async () => {
    const junk: unknown[] = [
      { code: 'x', message: { a: 1 }, data: 'x' },
      { code: 1e400, message: null, data: [null, 1, { '@type': 5 }] },
      { code: -32_001, data: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: '__proto__' }] },
      { code: 404, status: [], details: { '@type': 'x' } },
      {},
    ];
    for (const error of junk) {
      hostile.agent.script((exchange) =>
        isRpc(exchange.request)
          ? exchange.json({ jsonrpc: '2.0', id: exchange.request.json.id, error })
          : exchange.json({ error }, 418),
      );
      await expect(hostile.client().getTask({ id: 't' })).rejects.toBeInstanceOf(A2AError);
    }
  });

  it('after the connection is lost without an answer, by a reset or an end, is told as a lost connection', async () => {
    const client = hostile.client();
    for (const how of ['end', 'reset'] as const) {
      hostile.agent.script((exchange) => exchange[how]());
      await expect(client.sendMessage(SEND)).rejects.toMatchObject({
        name: 'TransportError',
        requestSent: true,
      });
    }
    hostile.agent.script(async (exchange) => {
      await exchange.head(200, { 'content-type': 'application/json', 'content-length': '1000' });
      await exchange.write('{"jsonrpc"');
      exchange.end();
    });
    await expect(client.sendMessage(SEND)).rejects.toBeInstanceOf(TransportError);
  });

  it('with a compressed body that nobody asked for is refused, and not unpacked', async () => {
    hostile.agent.script((exchange) =>
      exchange.answer(
        200,
        { ...JSON_TYPE, 'content-encoding': 'gzip' },
        gzipSync(JSON.stringify(finished(exchange))),
      ),
    );
    await expect(hostile.client().sendMessage(SEND)).rejects.toMatchObject({
      name: expect.stringMatching(/^(ProtocolViolationError|UnexpectedAnswerError)$/),
    });
    expect(hostile.agent.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('more than the limit is refused, whether it says so or not', async () => {
    const client = hostile.client({ maxAnswerBytes: 100_000 });
    hostile.agent.script((exchange) => exchange.answer(200, JSON_TYPE, `"${'x'.repeat(100_000)}"`));
    await expect(client.sendMessage(SEND)).rejects.toBeInstanceOf(ProtocolViolationError);
    hostile.agent.script(async (exchange) => {
      await exchange.head(200, { ...JSON_TYPE, connection: 'close' });
      while (await exchange.write('x'.repeat(10_000)));
    });
    await expect(client.sendMessage(SEND)).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it('exactly as much as the limit is fine', async () => {
    let bytes = 0;
    hostile.agent.script((exchange) => {
      bytes = JSON.stringify(finished(exchange)).length;
      return exchange.json(finished(exchange));
    });
    await hostile.client().sendMessage(SEND);
    const exact = createA2AClient(
      { card: cardAt(hostile.agent.base) },
      { bindings: [hostile.binding], maxAnswerBytes: bytes },
    );
    expect((await exact.sendMessage(SEND)).task).toBeDefined();
    await exact.close();
  });

  it('headers without end is refused, and not kept', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\n');
      while (await exchange.write(`x-more: ${'x'.repeat(8_000)}\r\n`));
    });
    await expect(hostile.client().sendMessage(SEND)).rejects.toBeInstanceOf(TransportError);
  });

  it('what is not HTTP is told as a lost connection', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.write('SSH-2.0-OpenSSH_9.9\r\n');
      await exchange.left;
    });
    await expect(hostile.client().sendMessage(SEND)).rejects.toBeInstanceOf(TransportError);
  });
});
