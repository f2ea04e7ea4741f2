/** One frame of an event stream: an event with data, or a comment. */
export interface SseFrame {
  /** Value of the `id:` line. */
  readonly id?: string;
  /** Value of the `event:` line. */
  readonly event?: string;
  /** The data lines, parsed as JSON; tests read into it without casts. */
  readonly data?: any;
  /** Text of a comment frame. */
  readonly comment?: string;
  /** When the frame was complete, in ms of `performance.now()`. */
  readonly at: number;
}

/** Reads the frames of an event stream as they arrive. Leaving the loop early destroys the connection. */
export async function* sse(response: Response): AsyncGenerator<SseFrame, void, void> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const bytes of response.body ?? []) {
    pending += decoder.decode(bytes as Uint8Array, { stream: true });
    const frames = pending.split(/\r?\n\r?\n/);
    pending = frames.pop() ?? '';
    for (const frame of frames) yield parseFrame(frame);
  }
  if (pending.trim() !== '') throw new Error(`The stream ended inside a frame: ${pending}`);
}

/** The events of a stream up to its end, without the comments. */
export async function readEvents(response: Response): Promise<SseFrame[]> {
  const events: SseFrame[] = [];
  for await (const frame of sse(response)) if (frame.data !== undefined) events.push(frame);
  return events;
}

function parseFrame(text: string): SseFrame {
  const fields: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = colon === 0 ? 'comment' : line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    fields[name] = name in fields ? `${fields[name]}\n${value}` : value;
  }
  const { id, event, data, comment } = fields;
  return {
    id,
    event,
    data: data === undefined ? undefined : JSON.parse(data),
    comment,
    at: performance.now(),
  };
}
