import { setTimeout as sleep } from 'node:timers/promises';
import { getText, isTerminal, type StreamResponse, type Task } from 'nest-a2a';
import type { HeaderChanges } from '../support/http.js';
import { type Extra, M } from '../support/message.js';
import { rest, restStream } from '../support/rest.js';
import { rpc, rpcStream } from '../support/rpc.js';
import { type SseFrame, sse } from '../support/sse.js';

export type BindingName = 'JSON-RPC' | 'REST';
export const BINDINGS: readonly BindingName[] = ['JSON-RPC', 'REST'];

/** An event of a stream, whatever its binding. */
export interface StreamedEvent {
  readonly id: number;
  readonly event: StreamResponse;
  /** When it arrived, in ms of `performance.now()`. */
  readonly at: number;
}

/** SendStreamingMessage; the response is left unread. */
export function sendStream(
  binding: BindingName,
  base: string,
  text: string,
  extra?: Extra,
  headers?: HeaderChanges,
  signal?: AbortSignal,
): Promise<Response> {
  return binding === 'REST'
    ? restStream(base, 'POST', '/message:stream', M(text, extra), headers, signal)
    : rpcStream(base, 'SendStreamingMessage', M(text, extra), headers, signal);
}

/** SubscribeToTask, resumed after an event when its number is given; the response is left unread. */
export function subscribe(
  binding: BindingName,
  base: string,
  id: string,
  lastEventId?: number,
): Promise<Response> {
  const headers = { 'last-event-id': lastEventId?.toString() };
  return binding === 'REST'
    ? restStream(base, 'POST', `/tasks/${id}:subscribe`, undefined, headers)
    : rpcStream(base, 'SubscribeToTask', { id }, headers);
}

/** The events of a stream as they arrive. Leaving the loop destroys the connection. */
export async function* events(response: Response): AsyncGenerator<StreamedEvent, void, void> {
  const type = response.headers.get('content-type');
  if (type !== 'text/event-stream') throw new Error(`No stream but ${type}: ${await response.text()}`);
  for await (const frame of sse(response)) if (frame.data !== undefined) yield toEvent(frame);
}

/** Reads up to the end, or up to and with the n-th event, and then leaves. */
export async function read(response: Response, n = Infinity): Promise<StreamedEvent[]> {
  const taken: StreamedEvent[] = [];
  for await (const event of events(response)) if (taken.push(event) >= n) break;
  return taken;
}

function toEvent({ id, data, at }: SseFrame): StreamedEvent {
  return { id: Number(id), event: data.jsonrpc ? data.result : data, at };
}

/** What an event says in a word: `Task WORKING`, `COMPLETED`, `c0`, `+c1`, `+c2.`, `Message`. */
export function word({ event }: Pick<StreamedEvent, 'event'>): string {
  const { task, statusUpdate, artifactUpdate } = event;
  if (task) return `Task ${short(task.status.state)}`;
  if (statusUpdate) return short(statusUpdate.status.state);
  if (!artifactUpdate) return 'Message';
  const { artifact, append, lastChunk } = artifactUpdate;
  return [append && '+', getText(artifact), lastChunk && '.'].filter(Boolean).join('');
}

export function short(state: string): string {
  return state.replace('TASK_STATE_', '');
}

/** The texts of all artifact parts that a stream told: those in its Task, then those that followed. */
export function chunks(story: readonly StreamedEvent[]): string[] {
  return story.flatMap(({ event }) => {
    const told = event.task ? (event.task.artifacts ?? []) : [event.artifactUpdate?.artifact];
    return told.flatMap((artifact) => artifact?.parts.map(({ text }) => text ?? '') ?? []);
  });
}

/** `c0` … `c<n-1>`, which `slow:n` writes. */
export function slowChunks(n: number): string[] {
  return Array.from({ length: n }, (_, i) => `c${i}`);
}

/** Id of the task that the opening event of a stream shows. */
export function taskIdOf([first]: readonly StreamedEvent[]): string {
  if (!first?.event.task) throw new Error(`The stream opened with ${JSON.stringify(first)}`);
  return first.event.task.id;
}

/** Blocking SendMessage that must be answered with a task. */
export async function send(base: string, text: string, extra?: Extra): Promise<Task> {
  const { body } = await rpc(base, 'SendMessage', M(text, extra));
  if (!body.result?.task) throw new Error(`No task but ${JSON.stringify(body)}`);
  return body.result.task;
}

/** Starts a task and does not wait for it. */
export function startTask(base: string, text: string): Promise<Task> {
  return send(base, text, { configuration: { returnImmediately: true } });
}

export async function getTask(base: string, id: string): Promise<Task> {
  const { body } = await rest(base, 'GET', `/tasks/${id}`);
  if (!body.id) throw new Error(`No task but ${JSON.stringify(body)}`);
  return body;
}

export async function listTasks(base: string, query = ''): Promise<Task[]> {
  const { body } = await rest(base, 'GET', `/tasks${query}`);
  return body.tasks;
}

/** Reads a task until it has ended, without a stream that might keep it alive. Throws after `withinMs`. */
export async function untilEnded(base: string, id: string, withinMs: number): Promise<Task> {
  for (const deadline = performance.now() + withinMs; ; await sleep(50)) {
    const task = await getTask(base, id);
    if (isTerminal(task.status.state)) return task;
    if (performance.now() > deadline) throw new Error(`Task ${id} is still ${task.status.state}`);
  }
}
