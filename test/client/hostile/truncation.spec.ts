import type { StreamResponse } from 'nest-a2a';
import { StreamInterruptedError } from 'nest-a2a/client';
import { describe, expect, it } from 'vitest';
import type { Exchange, Reply } from '../../support/hostile-agent.js';
import {
  chunkEvent,
  frames,
  statusEvent,
  STORY,
  TASK_ID,
  taskEvent,
  taskOf,
  wrap,
} from '../../support/hostile-events.js';
import { against, eventsOf, SEND, streamOf } from './against.js';

/** Ways in which a connection can go before the story is over. */
const ENDINGS: Record<string, (exchange: Exchange, text: string) => Promise<unknown>> = {
  'a clean end': async (exchange, text) => {
    await exchange.stream();
    await exchange.write(text);
    exchange.end();
  },
  'the last chunk of HTTP': async (exchange, text) => {
    await exchange.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
    await exchange.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`);
  },
  'an end without the last chunk of HTTP': async (exchange, text) => {
    await exchange.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
    await exchange.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
    exchange.end();
  },
  'an end in the middle of an event': async (exchange, text) => {
    await exchange.stream();
    await exchange.write(`${text}data: {"jsonrpc":"2.0","res`);
    exchange.end();
  },
};

const FAST = { resume: { initialDelayMs: 5, maxAttempts: 3 } };

const isMethod = (exchange: Exchange, rpc: string, path: RegExp): boolean =>
  exchange.request.json?.method === rpc || path.test(exchange.request.path);
const isSubscribe = (exchange: Exchange): boolean => isMethod(exchange, 'SubscribeToTask', /:subscribe/);

/** A11: the end of a connection is not the end of a task. */
against('a stream that is cut off', (hostile) => {
  describe.each(Object.keys(ENDINGS))('by %s', (ending) => {
    const cut =
      (...events: StreamResponse[]): Reply =>
      (exchange) =>
        void ENDINGS[ending]!(exchange, frames(exchange.request, events));

    it('goes on by a subscription, each chunk once', async () => {
      hostile.agent.script(
        cut(...STORY.slice(0, 2)),
        streamOf(taskEvent('TASK_STATE_WORKING', 'c0'), ...STORY.slice(2)),
      );
      const events = await eventsOf(hostile.client(FAST).sendStreamingMessage(SEND));
      expect(textsOf(events)).toEqual(['c0', 'c1']);
      expect(events.at(-1)).toEqual(STORY.at(-1));
      expect(hostile.agent.requests).toHaveLength(2);
    });

    it('says so where it is not to be resumed, with the task and its last state', async () => {
      hostile.agent.script(cut(...STORY.slice(0, 2)));
      const seen: StreamResponse[] = [];
      const reading = async () => {
        for await (const event of hostile.client().sendStreamingMessage(SEND, { resume: false }))
          seen.push(event);
      };
      const error = await reading().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StreamInterruptedError);
      expect(error).toMatchObject({ taskId: TASK_ID, lastState: 'TASK_STATE_WORKING' });
      expect(seen).toEqual(STORY.slice(0, 2));
      expect(hostile.agent.requests).toHaveLength(1);
    });

    it('says so where the agent had told no task yet, and does not send again', async () => {
      hostile.agent.script(cut());
      const reading = eventsOf(hostile.client(FAST).sendStreamingMessage(SEND));
      await expect(reading).rejects.toBeInstanceOf(StreamInterruptedError);
      expect(hostile.agent.requests).toHaveLength(1);
    });
  });

  it('by a reset goes on', async () => {
    hostile.agent.script(
      async (exchange) => {
        await exchange.stream();
        await exchange.write(frames(exchange.request, STORY.slice(0, 2)));
        exchange.reset();
      },
      streamOf(taskEvent('TASK_STATE_WORKING', 'c0'), ...STORY.slice(2)),
    );
    const events = await eventsOf(hostile.client(FAST).sendStreamingMessage(SEND));
    expect(textsOf(events)).toEqual(['c0', 'c1']);
  });

  it('by silence goes on after idleMs', async () => {
    hostile.agent.script(
      async (exchange) => {
        await exchange.stream();
        await exchange.write(frames(exchange.request, STORY.slice(0, 2)));
        await exchange.left;
      },
      streamOf(taskEvent('TASK_STATE_WORKING', 'c0'), ...STORY.slice(2)),
    );
    const client = hostile.client({ ...FAST, timeouts: { idleMs: 150 } });
    expect(textsOf(await eventsOf(client.sendStreamingMessage(SEND)))).toEqual(['c0', 'c1']);
  });

  it('goes on after the last number where events are numbered', async () => {
    hostile.agent.script(
      async (exchange) => {
        await exchange.stream();
        await exchange.write(frames(exchange.request, STORY.slice(0, 2), { firstId: 41 }));
        exchange.end();
      },
      async (exchange) => {
        await exchange.stream();
        await exchange.write(frames(exchange.request, STORY.slice(2), { firstId: 43 }));
        exchange.end();
      },
    );
    expect(await eventsOf(hostile.client(FAST).sendStreamingMessage(SEND))).toEqual(STORY);
    expect(hostile.agent.requests[1]?.headers['last-event-id']).toBe('42');
  });

  it.each([
    ['UNSUPPORTED_OPERATION', -32_004],
    // The Python SDK's server.
    ['INVALID_PARAMS', -32_602],
  ])('looks at the task where it has ended meanwhile, which a peer calls %s', async (reason, code) => {
    hostile.agent.script(streamOf(...STORY.slice(0, 2)), (exchange) => {
      if (!isSubscribe(exchange)) {
        return exchange.json(wrap(exchange.request, taskOf('TASK_STATE_COMPLETED', 'c0')));
      }
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason,
        domain: 'a2a-protocol.org',
      };
      const { json } = exchange.request;
      return json?.jsonrpc
        ? exchange.json({
            jsonrpc: '2.0',
            id: json.id,
            error: { code, message: 'Ended', data: [info] },
          })
        : exchange.json({ error: { code: 400, message: 'Ended', details: [info] } }, 400);
    });
    const events = await eventsOf(hostile.client(FAST).sendStreamingMessage(SEND));
    expect(textsOf(events)).toEqual(['c0']);
    expect(events.at(-1)?.statusUpdate?.status.state ?? events.at(-1)?.task?.status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  it('is interrupted where every way on is cut off as well, after so many attempts', async () => {
    hostile.agent.script(streamOf(...STORY.slice(0, 2)), (exchange) => exchange.reset());
    const reading = eventsOf(hostile.client(FAST).sendStreamingMessage(SEND));
    await expect(reading).rejects.toMatchObject({ name: 'StreamInterruptedError', taskId: TASK_ID });
    expect(hostile.agent.requests.length).toBeLessThanOrEqual(1 + 3 * FAST.resume.maxAttempts);
  });

  it('is interrupted where every subscription ends at once, and does not ask for ever', async () => {
    hostile.agent.script(streamOf(...STORY.slice(0, 2)), streamOf(taskEvent('TASK_STATE_WORKING', 'c0')));
    const reading = eventsOf(hostile.client(FAST).sendStreamingMessage(SEND));
    await expect(reading).rejects.toMatchObject({ name: 'StreamInterruptedError' });
    expect(hostile.agent.requests.length).toBeLessThanOrEqual(2 + FAST.resume.maxAttempts);
  });

  it('is interrupted where the task is gone', async () => {
    hostile.agent.script(streamOf(...STORY.slice(0, 2)), (exchange) => {
      const { json } = exchange.request;
      return json?.jsonrpc
        ? exchange.json({ jsonrpc: '2.0', id: json.id, error: { code: -32_001, message: 'Gone' } })
        : exchange.json({ error: { code: 404, message: 'Gone', status: 'NOT_FOUND' } }, 404);
    });
    const reading = eventsOf(hostile.client(FAST).sendStreamingMessage(SEND));
    await expect(reading).rejects.toMatchObject({ name: 'StreamInterruptedError', taskId: TASK_ID });
  });

  it('may be left while it waits to go on', async () => {
    hostile.agent.script(streamOf(...STORY.slice(0, 2)));
    const client = hostile.client({ resume: { initialDelayMs: 60_000, maxDelayMs: 60_000 } });
    const abort = new AbortController();
    const reading = expect(
      (async () => {
        let count = 0;
        for await (const event of client.sendStreamingMessage(SEND, { signal: abort.signal })) {
          expect(event).toBeDefined();
          if (++count === 2) setTimeout(() => abort.abort(), 50);
        }
      })(),
    ).rejects.toMatchObject({ name: 'AbortError' });
    await reading;
  });
});

/** What is a normal end although no connection says so. */
against('a stream is complete', (hostile) => {
  const message: StreamResponse = {
    message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'Hello' }] },
  };

  it.each<[string, StreamResponse[]]>([
    ['with a message', [message]],
    ['at INPUT_REQUIRED', [STORY[0]!, statusEvent('TASK_STATE_INPUT_REQUIRED')]],
    ['at AUTH_REQUIRED', [STORY[0]!, statusEvent('TASK_STATE_AUTH_REQUIRED')]],
    ['with COMPLETED', [...STORY]],
    ['with FAILED', [STORY[0]!, statusEvent('TASK_STATE_FAILED')]],
    ['with CANCELED', [STORY[0]!, statusEvent('TASK_STATE_CANCELED')]],
    ['with REJECTED', [statusEvent('TASK_STATE_REJECTED')]],
    ['with a task that has ended', [taskEvent('TASK_STATE_COMPLETED', 'c0')]],
  ])('%s', async (_, events) => {
    hostile.agent.script(streamOf(...events));
    expect(await eventsOf(hostile.client(FAST).sendStreamingMessage(SEND))).toEqual(events);
    expect(hostile.agent.requests).toHaveLength(1);
  });

  it('with a terminal state, although the peer keeps the connection and its mouth open', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      await exchange.write(frames(exchange.request, [...STORY, chunkEvent('late'), chunkEvent('later')]));
      await exchange.left;
    });
    expect(await eventsOf(hostile.client(FAST).sendStreamingMessage(SEND))).toEqual(STORY);
  });
});

/** The text of each chunk, of opening tasks too. */
function textsOf(events: readonly StreamResponse[]): (string | undefined)[] {
  return events.flatMap(({ task, artifactUpdate }) => {
    const artifacts = artifactUpdate ? [artifactUpdate.artifact] : (task?.artifacts ?? []);
    return artifacts.flatMap(({ parts }) => parts.map(({ text }) => text));
  });
}
