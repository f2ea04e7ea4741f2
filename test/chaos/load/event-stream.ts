import type { IncomingMessage } from 'node:http';
import type { Replica } from '../servers/replica.js';
import { post, toOutcome, unsure, type AgentName, type Outcome } from './client.js';
import type { SeenEvent } from './seen-event.js';

/** How a stream ended: the server closed it in good order, or refused it; or it broke. */
export type StreamEnd = Outcome<undefined>;

/** A client that hears nothing for so long, not even a comment, tries another server, in ms. */
const SILENCE_MS = 15_000;

export interface StreamCall {
  readonly agent: AgentName;
  readonly method: 'SendStreamingMessage' | 'SubscribeToTask';
  readonly params: unknown;
  readonly lastEventId?: number;
  readonly signal: AbortSignal;
}

/** Opens a stream and hands out its events one by one until it ends. `onEvent` may answer false to leave. */
export function readStream(
  web: Replica,
  { agent, method, params, lastEventId, signal }: StreamCall,
  onEvent: (event: SeenEvent) => boolean,
): Promise<StreamEnd> {
  return new Promise((resolve) => {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': `${lastEventId}` }),
    };
    const request = post(web, agent, method, params, { headers, signal }, (response) =>
      resolve(readResponse(response, onEvent)),
    );
    request.setTimeout(SILENCE_MS, () => request.destroy(new Error('silence')));
    request.on('error', (error) => resolve(unsure(error)));
  });
}

function readResponse(response: IncomingMessage, onEvent: (event: SeenEvent) => boolean): Promise<StreamEnd> {
  const isStream = (response.headers['content-type'] ?? '').startsWith('text/event-stream');
  return new Promise((resolve) => {
    let pending = '';
    let settled = false;
    const settle = (end: StreamEnd): void => {
      settled = true;
      resolve(end);
      response.destroy();
    };
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      // What was read before the connection was closed may still come.
      if (settled) return;
      pending += text;
      if (!isStream) return;
      const frames = pending.split('\n\n');
      pending = frames.pop()!;
      for (const frame of frames) {
        const end = readFrame(frame, onEvent);
        if (end) return settle(end);
      }
    });
    response.on('end', () => {
      if (!isStream) settle(toOutcome(pending));
      else if (pending !== '') settle({ kind: 'unsure', why: 'cut in a frame' });
      else settle({ kind: 'done', result: undefined });
    });
    response.on('error', (error) => settle(unsure(error)));
    response.on('close', () => settle({ kind: 'unsure', why: 'closed' }));
  });
}

/** Undefined while the stream goes on. */
function readFrame(frame: string, onEvent: (event: SeenEvent) => boolean): StreamEnd | undefined {
  let id = NaN;
  let data = '';
  for (const line of frame.split('\n')) {
    if (line.startsWith('id: ')) id = Number(line.slice(4));
    else if (line.startsWith('data: ')) data = line.slice(6);
  }
  if (data === '') return undefined;
  const { result, error } = JSON.parse(data) as { result?: unknown; error?: unknown };
  if (error) return toOutcome(data);
  return onEvent({ id, json: JSON.stringify(result) }) ? undefined : { kind: 'unsure', why: 'left' };
}
