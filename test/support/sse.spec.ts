import { describe, expect, it } from 'vitest';
import { readEvents, sse, type SseFrame } from './sse.js';

function stream(...chunks: string[]): Response {
  const encoder = new TextEncoder();
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
        controller.close();
      },
    }),
  );
}

async function frames(...chunks: string[]): Promise<SseFrame[]> {
  const all: SseFrame[] = [];
  for await (const frame of sse(stream(...chunks))) all.push(frame);
  return all;
}

describe('sse', () => {
  it('reads events that arrive in pieces', async () => {
    const [first, second] = await frames('id: 1\nda', 'ta: {"a":1}\n', '\nid: 2\r\ndata: 2\r\n\r\n');
    expect(first).toMatchObject({ id: '1', data: { a: 1 } });
    expect(second).toMatchObject({ id: '2', data: 2 });
  });

  it('tells comments from events', async () => {
    expect(await frames(': alive\n\n')).toMatchObject([{ comment: 'alive', data: undefined }]);
    expect(await readEvents(stream(': alive\n\ndata: null\n\n'))).toMatchObject([{ data: null }]);
  });

  it('joins the data lines of one event', async () => {
    expect(await frames('data: [1,\ndata: 2]\n\n')).toMatchObject([{ data: [1, 2] }]);
  });

  it('refuses a stream that ends inside a frame', async () => {
    await expect(frames('data: {"a":')).rejects.toThrow('ended inside a frame');
  });
});
