import { setTimeout as sleep } from 'node:timers/promises';
import { getText, type StreamResponse, type Task } from 'nest-a2a';
import { afterEach, describe, expect, it } from 'vitest';
import type { Peer } from '../../conformance/support/peer.js';
import { artifactTexts, stateOf } from '../../conformance/support/show.js';
import { events, read, type StreamedEvent, taskIdOf, word } from '../../e2e/calls.js';
import type { BackingKind } from '../../support/backing.js';
import type { FixtureProcess, Processes } from '../../support/processes.js';
import { type Crew, relieve, startCrew } from '../support/crews.js';
import { describeProcesses, peerOf } from '../support/replicas.js';
import { follow, openSend, openSubscription, plain } from '../support/stories.js';

const TTL_MS = 3_000;
const DRAIN_MS = 800;
/** A lost run is found when its lease has expired and somebody has looked; the rest is patience with a busy machine. */
const FOUND_WITHIN_MS = TTL_MS + 1_000 + 5_000;

const ENVIRONMENT = {
  AUTH: 'bearer',
  LEASE_TTL_MS: String(TTL_MS),
  LEASE_RENEW_MS: '500',
  SWEEP_MS: '500',
  DRAIN_MS: String(DRAIN_MS),
};
const RETRY = { ON_INTERRUPTED: 'retry' };

/** What becomes of tasks whose process ends, by a deploy, by a crash, or by being deaf for too long. */
export function describeInterruptions(name: string, kind: BackingKind): void {
  describeProcesses(name, kind, ENVIRONMENT, (processes) => {
    afterEach(() => processes().end());

    describe('C19 a process that is killed', () => killed(processes, kind));
    describe('C19 a process that is asked to end', () => asked(processes, kind));
    describe('C20 a process that is deaf for longer than its lease', () => deaf(processes, kind));
  });
}

function killed(processes: () => Processes, kind: BackingKind): void {
  it('leaves its tasks FAILED as interrupted, and every open stream on the other is told', async () => {
    const crew = await startCrew(processes(), kind);
    const { front, other } = peersOf(crew);
    const task = await running(front, 'slow:300');
    const parked = await front.send('park');
    const following = follow(other, task.id);
    const blocking = follow(other, task.id, 1);
    await sleep(500);
    await crew.runner.kill();
    const killedAt = performance.now();
    await relieve(processes(), kind);

    const [story, resumed] = await Promise.all([following, blocking]);
    expect(performance.now() - killedAt).toBeLessThan(FOUND_WITHIN_MS);
    expect(plain(resumed).slice(-2)).toEqual(plain(story).slice(-2));
    expectInterrupted(story.at(-1)!.event);
    const end = await other.get(task.id);
    expect(stateOf(end)).toBe('FAILED');
    expect(chunksOf(end)).toEqual(ascending(chunksOf(end).length));
    expect((await other.ok('ListTasks', { status: 'TASK_STATE_WORKING' })).totalSize).toBe(0);
    // Who waits for its caller is nobody's to settle.
    expect(stateOf(await other.reply(parked, 'finish'))).toBe('COMPLETED');
  }, 120_000);

  it('leaves its tasks to another that runs them again, where the agent wants that', async () => {
    const crew = await startCrew(processes(), kind, RETRY);
    const { front, other } = peersOf(crew);
    const task = await running(front, 'slow:12');
    const following = follow(other, task.id);
    await sleep(700);
    await crew.runner.kill();
    await relieve(processes(), kind, RETRY);

    const story = await following;
    expect(word(story.at(-1)!)).toBe('COMPLETED');
    expectGrowing(story);
    const end = await other.get(task.id);
    expect(artifactTexts(end).at(-1)).toBe(ascending(12).join('|'));
    // The run that was killed got as far as it got; what it told is still there.
    for (const text of artifactTexts(end)) expect(ascending(12).join('|').startsWith(text)).toBe(true);
  }, 120_000);

  it('leaves orphans that the first process after a deploy settles', async () => {
    const crew = await startCrew(processes(), kind);
    const { front } = peersOf(crew);
    const tasks = await Promise.all([1, 2, 3].map(() => running(front, 'slow:300')));
    await Promise.all([crew.front, crew.runner, crew.other].map((one) => one.kill()));
    await sleep(TTL_MS);
    const next = await startCrew(processes(), kind);
    await expect
      .poll(
        async () => Promise.all(tasks.map(async ({ id }) => stateOf(await peersOf(next).other.get(id)))),
        {
          timeout: FOUND_WITHIN_MS,
        },
      )
      .toEqual(['FAILED', 'FAILED', 'FAILED']);
  }, 120_000);
}

function asked(processes: () => Processes, kind: BackingKind): void {
  it('takes no new message, lets end what ends in time, and leaves the rest FAILED as interrupted', async () => {
    const crew = await startCrew(processes(), kind);
    const { front, other } = peersOf(crew);
    const long = await running(front, 'slow:300');
    const parked = await front.send('park');
    const following = follow(other, long.id);
    const short = await openSend(front, 'slow:3');
    await sleep(200);
    const ending = crew.runner.stop();

    if (crew.front === crew.runner) {
      // Who balances the load is told, and so is who calls all the same.
      await expect.poll(() => readiness(crew.front), { interval: 5 }).toBe(503);
      await expectTurnedAway(front, parked);
      expect(await readiness(crew.other)).toBe(200);
      // The other one goes on accepting.
      expect(stateOf(await other.send('quick'))).toBe('COMPLETED');
    }
    expect((await read(short)).map(word).at(-1)).toBe('COMPLETED');
    expectInterrupted((await following).at(-1)!.event);
    expect(await ending).toMatchObject({ code: 0 });
    expect(stateOf(await other.get(long.id))).toBe('FAILED');
    await relieve(processes(), kind);
    expect(stateOf(await other.reply(parked, 'finish'))).toBe('COMPLETED');
  }, 120_000);

  it('hands over what does not end in time, where the agent wants that, without waiting for a lease', async () => {
    const crew = await startCrew(processes(), kind, RETRY);
    await relieve(processes(), kind, RETRY);
    const { front, other } = peersOf(crew);
    const tasks = await Promise.all(Array.from({ length: 6 }, () => running(front, 'slow:15')));
    const following = Promise.all(tasks.map(({ id }) => follow(other, id)));
    await sleep(400);
    expect(await crew.runner.stop()).toMatchObject({ code: 0 });
    for (const story of await following) {
      expect(word(story.at(-1)!)).toBe('COMPLETED');
      expectGrowing(story);
    }
    for (const { id } of tasks) {
      const end = await other.get(id);
      expect(artifactTexts(end).at(-1)).toBe(ascending(15).join('|'));
    }
  }, 120_000);

  it('closes its streams, which go on on the other from their last number', async () => {
    const crew = await startCrew(processes(), kind, RETRY);
    const { front, other } = peersOf(crew);
    const sending = events(await openSend(front, 'slow:20'));
    const before = [(await sending.next()).value!];
    const following = follow(other, taskIdOf(before));
    while (word(before.at(-1)!) !== '+c1') before.push((await sending.next()).value!);
    const ending = crew.front.stop();
    for await (const event of sending) before.push(event);
    expect(word(before.at(-1)!)).not.toBe('COMPLETED');
    const after = await follow(other, taskIdOf(before), before.at(-1)!.id);
    expect(word(after.at(-1)!)).toBe('COMPLETED');
    const story = [...before, ...after];
    expectGrowing(story);
    const heard = await following;
    const shared = plain(story).filter(({ id }) => id > heard[0]!.id);
    expect(shared).toEqual(plain(heard).slice(1));
    await ending;
  }, 120_000);
}

function deaf(processes: () => Processes, kind: BackingKind): void {
  it('is replaced, and what it says later is refused: all see one story', async () => {
    const crew = await startCrew(processes(), kind, RETRY);
    const { front, other } = peersOf(crew);
    const task = await running(front, 'slow:20');
    const reading = events(await openSubscription(other, task.id));
    const story = [(await reading.next()).value!];
    while (!/c2/.test(word(story.at(-1)!))) story.push((await reading.next()).value!);
    crew.runner.pause();
    await relieve(processes(), kind, RETRY);
    // The second run begins its own artifact while the first is still deaf, and then not any more.
    while (word(story.at(-1)!) !== 'c0') story.push((await reading.next()).value!);
    crew.runner.resume();
    for await (const event of reading) story.push(event);

    expect(word(story.at(-1)!)).toBe('COMPLETED');
    expectGrowing(story);
    const end = await other.get(task.id);
    const [first, second, ...more] = artifactTexts(end);
    expect(more).toEqual([]);
    expect(ascending(20).join('|').startsWith(first!)).toBe(true);
    expect(second).toBe(ascending(20).join('|'));
    // After the second run had begun, nothing of the first came through.
    const ids = story.flatMap(({ event }) => event.artifactUpdate?.artifact.artifactId ?? []);
    const takeover = ids.indexOf(end.artifacts![1]!.artifactId);
    expect(ids.slice(takeover)).not.toContain(end.artifacts![0]!.artifactId);
    expect(word(story[0]!)).toMatch(/^Task /);
    const replay = plain(await follow(other, task.id, story[0]!.id));
    expect(replay).toEqual(plain(story).slice(1));
    if (crew.front === crew.runner) {
      expect(await front.get(task.id)).toEqual(end);
      expect(stateOf(await front.send('quick'))).toBe('COMPLETED');
    }
    expect(crew.runner.running).toBe(true);
  }, 120_000);
}

/** Starts a task and waits until its run has begun: one that nobody has taken yet is nobody's loss. */
async function running(peer: Peer, text: string): Promise<Task> {
  const { id } = await peer.start(text);
  await expect.poll(async () => stateOf(await peer.get(id)), { timeout: 20_000 }).toBe('WORKING');
  return peer.get(id);
}

function peersOf({ front, other }: Crew): { front: Peer; other: Peer } {
  return { front: peerOf(front, 'JSONRPC'), other: peerOf(other, 'HTTP+JSON') };
}

async function readiness({ base }: FixtureProcess): Promise<number> {
  return (await fetch(`${base}/ready`, { headers: { authorization: 'Bearer user:balancer' } })).status;
}

async function expectTurnedAway(peer: Peer, parked: Task): Promise<void> {
  for (const taskId of [undefined, parked.id]) {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'quick' }], taskId };
    const refusal = await peer.refused('SendMessage', { message });
    expect(refusal).toMatchObject({ httpStatus: 503, reason: 'UNAVAILABLE' });
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
  }
}

function expectInterrupted({ statusUpdate }: StreamResponse): void {
  expect(statusUpdate?.status.state).toBe('TASK_STATE_FAILED');
  expect(statusUpdate?.metadata).toMatchObject({ reason: 'interrupted' });
  expect(getText(statusUpdate!.status.message!)).toMatch(/^interrupted/);
}

function expectGrowing(story: readonly StreamedEvent[]): void {
  const ids = story.map(({ id }) => id);
  expect(ids.every((id, i) => i === 0 || id > ids[i - 1]!)).toBe(true);
}

function ascending(n: number): string[] {
  return Array.from({ length: n }, (_, i) => `c${i}`);
}

function chunksOf(task: Task): string[] {
  return artifactTexts(task).flatMap((text) => text.split('|'));
}
