import { ProtocolViolationError } from 'nest-a2a/client';
import { describe, expect, it } from 'vitest';
import type { HostileRequest } from '../../support/raw-http.js';
import { chunkEvent, frames, statusEvent, STORY, taskEvent, wrap } from '../../support/hostile-events.js';
import { against, eventsOf, SEND } from './against.js';

/** A story with characters of two, three and four bytes, and line ends and separators inside. */
const COLOURFUL = [
  taskEvent('TASK_STATE_WORKING'),
  chunkEvent('Grüße, 世界 🦜👩‍👩‍👧', false),
  chunkEvent('a\nb\r\nc\u2028d\uFEFFe: data: \u0000 "\\', true, true),
  statusEvent('TASK_STATE_COMPLETED'),
];

/** Ways to write the same events (F01). */
const WRITINGS: [string, (request: HostileRequest) => string][] = [
  ['LF', (request) => frames(request, COLOURFUL)],
  ['CRLF', (request) => frames(request, COLOURFUL, { newline: '\r\n' })],
  ['CR', (request) => frames(request, COLOURFUL, { newline: '\r' })],
  ['a BOM', (request) => `\uFEFF${frames(request, COLOURFUL)}`],
  ['a BOM and a comment', (request) => `\uFEFF: hello\n${frames(request, COLOURFUL)}`],
  ['no space after the colon', (request) => frames(request, COLOURFUL).replace(/^data: /gm, 'data:')],
  [
    'comments between and inside',
    (request) => `: one\n\n:\n\n${frames(request, COLOURFUL).replace(/^data/gm, ': in\ndata')}`,
  ],
  [
    'ids, retries and names',
    (request) =>
      `retry: 10\n\n${frames(request, COLOURFUL, { firstId: 7 }).replace(/^data/gm, 'event: message\nretry: 5\nretry: x\nunheard: of\nlonely\ndata')}`,
  ],
  [
    'data of many lines',
    (request) =>
      COLOURFUL.map(
        (event) => `data: ${JSON.stringify(wrap(request, event), null, 2).replaceAll('\n', '\ndata: ')}\n\n`,
      ).join(''),
  ],
  [
    'events without data between',
    (request) => `event: ping\n\nid: 3\n\ndata\n\ndata:\n\n${frames(request, COLOURFUL)}`,
  ],
  ['many blank lines', (request) => `\n\n\n${frames(request, COLOURFUL).replaceAll('\n\n', '\n\n\n\n')}`],
  ['a tail that no blank line ends', (request) => `${frames(request, COLOURFUL)}data: {"half":`],
  [
    'a tail that looks complete',
    (request) => `${frames(request, COLOURFUL)}data: ${JSON.stringify(wrap(request, chunkEvent('never')))}\n`,
  ],
];

against('a stream', (hostile) => {
  const read = () => eventsOf(hostile.client().sendStreamingMessage(SEND));

  describe.each(['at once', 'one byte at a time', 'in chunks of HTTP that cut everywhere'])(
    'written %s',
    (how) => {
      it.each(WRITINGS)('with %s tells the same', async (_, write) => {
        hostile.agent.script(async (exchange) => {
          const bytes = Buffer.from(write(exchange.request));
          if (how === 'at once') {
            await exchange.stream();
            await exchange.write(bytes);
          } else if (how === 'one byte at a time') {
            await exchange.stream();
            await exchange.drip(bytes);
          } else {
            await exchange.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
            for (let at = 0; at < bytes.length; at += 7) {
              const part = bytes.subarray(at, at + 7);
              await exchange.write(
                Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
              );
            }
            await exchange.write('0\r\n\r\n');
          }
          exchange.end();
        });
        expect(await read()).toEqual(COLOURFUL);
      });
    },
  );

  it('shows an event whose last line ends with CR as soon as that is there', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      await exchange.write(frames(exchange.request, STORY.slice(0, 1), { newline: '\r' }));
      await exchange.left;
    });
    for await (const event of hostile.client().sendStreamingMessage(SEND)) {
      expect(event).toEqual(STORY[0]);
      break;
    }
  });

  it('may have a type with parameters, in any case', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream({ 'content-type': 'Text/Event-Stream; charset=UTF-8' });
      await exchange.write(frames(exchange.request, STORY));
      exchange.end();
    });
    expect(await read()).toEqual(STORY);
  });

  it('with bytes that are no UTF-8 goes on', async () => {
    hostile.agent.script(async (exchange) => {
      const [head = '', tail = ''] = frames(exchange.request, COLOURFUL).split('世');
      await exchange.stream();
      await exchange.write(
        Buffer.concat([Buffer.from(head), Uint8Array.of(0xe4, 0xb8, 0x41, 0xff), Buffer.from(tail)]),
      );
      exchange.end();
    });
    const events = await read();
    expect(events).toHaveLength(COLOURFUL.length);
    expect(events[1]?.artifactUpdate?.artifact.parts[0]?.text).toContain('\uFFFD');
  });

  it.each([
    ['no JSON', 'data: hello\n\n'],
    ['half of an event', 'data: {"jsonrpc":"2.0",\n\n'],
    ['two events in one', 'data: {}{}\n\n'],
  ])('with %s in its data is refused, and shows what came before', async (_, junk) => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      await exchange.write(frames(exchange.request, STORY.slice(0, 2)) + junk);
      await exchange.left;
    });
    const seen: unknown[] = [];
    const reading = async () => {
      for await (const event of hostile.client().sendStreamingMessage(SEND)) seen.push(event);
    };
    await expect(reading()).rejects.toBeInstanceOf(ProtocolViolationError);
    expect(seen).toEqual(STORY.slice(0, 2));
  });

  it('with an event larger than the limit is refused, and one of the limit is not', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      await exchange.write(frames(exchange.request, [taskEvent('TASK_STATE_COMPLETED', 'x'.repeat(60_000))]));
      exchange.end();
    });
    const limited = (maxEventLength: number) =>
      eventsOf(hostile.client({ maxEventLength }).sendStreamingMessage(SEND));
    await expect(limited(50_000)).rejects.toBeInstanceOf(ProtocolViolationError);
    expect(await limited(61_000)).toHaveLength(1);
  });

  it('of many lines in one event that never ends is refused at the limit', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      while (await exchange.write(`data: ${'x'.repeat(1_000)}\n`));
    });
    const stream = hostile.client({ maxEventLength: 200_000 }).sendStreamingMessage(SEND);
    await expect(eventsOf(stream)).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it('of comments without end costs nothing but time', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      for (let i = 0; i < 2_000; i++) await exchange.write(`: ${'x'.repeat(1_000)}\n\n`);
      await exchange.write(frames(exchange.request, STORY));
      exchange.end();
    });
    const stream = hostile.client({ maxEventLength: 100_000 }).sendStreamingMessage(SEND);
    expect(await eventsOf(stream)).toEqual(STORY);
  });

  it('of 20 000 events in one piece comes whole and in order', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => chunkEvent(`c${i}`, i > 0));
    const story = [taskEvent('TASK_STATE_WORKING'), ...many, statusEvent('TASK_STATE_COMPLETED')];
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      await exchange.write(frames(exchange.request, story));
      exchange.end();
    });
    expect(await read()).toEqual(story);
  });
});
