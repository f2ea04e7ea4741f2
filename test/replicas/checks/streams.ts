import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { artifactTexts } from '../../conformance/support/show.js';
import { chunks, events, read, slowChunks, type StreamedEvent, taskIdOf, word } from '../../e2e/calls.js';
import type { Replicas } from '../support/replicas.js';
import { follow, openSend, openSubscription, plain } from '../support/stories.js';

/** What streams on one replica tell of tasks that another one accepted. */
export function streamsAcross(replicas: () => Replicas): void {
  it('A07 a subscriber on B gets the snapshot, all that follows, and the end of a task of A', async () => {
    const { onA, onB } = replicas();
    const sent = await openSend(onA(), 'slow:15');
    const opening = await events(sent).next();
    const id = taskIdOf([opening.value!]);
    await sleep(700);
    const [subscribed, late] = await Promise.all([
      follow(onB(), id),
      sleep(1_000).then(() => follow(onB(), id)),
    ]);
    for (const story of [subscribed, late]) {
      expect(word(story[0]!)).toBe('Task WORKING');
      expect(chunks(story)).toEqual(slowChunks(15));
      expect(word(story.at(-1)!)).toBe('COMPLETED');
    }
  });

  it('every stream tells the same events under the same numbers, on A and on B', async () => {
    const { onA, onB } = replicas();
    const whole: StreamedEvent[] = [];
    let following: Promise<StreamedEvent[]> | undefined;
    for await (const event of events(await openSend(onA(), 'slow:10'))) {
      whole.push(event);
      if (word(event) === 'c0') following = follow(onB(), taskIdOf(whole));
    }
    const onTheOther = await following!;
    const shared = plain(onTheOther).slice(1);
    expect(shared.length).toBeGreaterThan(3);
    expect(plain(whole).slice(-shared.length)).toEqual(shared);
  });

  it('A07 a parked task is told by B, and stays open for what comes through A', async () => {
    const { onA, onB } = replicas();
    const task = await onA().send('park');
    const following = events(await openSubscription(onB(), task.id));
    const heard = [(await following.next()).value!];
    await onA().reply(task, 'one');
    for await (const event of following) heard.push(event);
    expect(heard.map(word)).toEqual(['Task INPUT_REQUIRED', 'one.', 'INPUT_REQUIRED']);
    const again = events(await openSubscription(onB(), task.id));
    expect(word((await again.next()).value!)).toBe('Task INPUT_REQUIRED');
    await onB().reply(task, 'finish');
    expect(word((await again.next()).value!)).toBe('COMPLETED');
    expect((await again.next()).done).toBe(true);
  });

  it('A13 a stream ends with a pause for input, and stays open while somebody signs in', async () => {
    const { onA, onB } = replicas();
    const parked = await read(await openSend(onB(), 'park'));
    expect(parked.map(word)).toEqual(['Task SUBMITTED', 'INPUT_REQUIRED']);
    const task = await onA().send('auth');
    expect(task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    const signingIn = follow(onB(), task.id);
    // It joins the history and starts no run.
    await onB().start('meanwhile', { message: { taskId: task.id } });
    const words = (await signingIn).map(word);
    expect(words).toEqual(['Task AUTH_REQUIRED', 'WORKING', 'COMPLETED']);
    const end = await onA().get(task.id);
    expect(end.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
    expect(end.artifacts ?? []).toEqual([]);
  });

  it('A01 a run goes on when its caller leaves A, and B tells all of it', async () => {
    const { onA, onB } = replicas();
    const [opening] = await read(await openSend(onA(), 'slow:10'), 1);
    expect(chunks(await follow(onB(), taskIdOf([opening!])))).toEqual(slowChunks(10));
  });

  it('A06 a stream that broke on A goes on on B exactly after its number, wherever it broke', async () => {
    const { onA, onB } = replicas();
    const broken = Array.from({ length: 10 }, async (_, i) => {
      const before = await read(await openSend(onA(), 'slow:8'), i + 1);
      // Some events are missed, some are still to come.
      await sleep(400);
      return [...before, ...(await follow(onB(), taskIdOf(before), before.at(-1)!.id))];
    });
    for (const story of await Promise.all(broken)) {
      expect(story.map(word)).toEqual(WORDS_OF_SLOW_8);
      expect(chunks(story)).toEqual(slowChunks(8));
      expectGrowing(story);
    }
  });

  it('A06 goes on as often as it breaks, from one replica to the other', async () => {
    const { onA, onB } = replicas();
    let story = await read(await openSend(onA(), 'slow:8'), 2);
    const id = taskIdOf(story);
    for (let turn = 0; word(story.at(-1)!) !== 'COMPLETED'; turn++) {
      const peer = turn % 2 === 0 ? onB() : onA();
      story = [...story, ...(await read(await openSubscription(peer, id, story.at(-1)!.id), 2))];
    }
    expect(story.map(word)).toEqual(WORDS_OF_SLOW_8);
    // What is over is replayed by both, and refused when nothing is left of it.
    for (const peer of [onA(), onB()]) {
      expect(plain(await follow(peer, id, 0))).toEqual(plain(story));
      const last = peer.with({ 'last-event-id': String(story.at(-1)!.id) });
      expect((await last.refused('SubscribeToTask', { id })).reason).toBe('UNSUPPORTED_OPERATION');
    }
  });

  it('A04 whoever subscribes, wherever and whenever, gets every chunk once and in order', async () => {
    const { onA, onB } = replicas();
    const told = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const [sender, reader] = i % 2 === 0 ? [onA(), onB()] : [onB(), onA()];
        const { id } = await sender.start('slow:20');
        await sleep(Math.random() * 2_000);
        const response = await openSubscription(reader, id);
        if (response.headers.get('content-type') === 'text/event-stream') return read(response);
        // It was over already, which a busy machine brings about.
        await response.body?.cancel();
        expect(artifactTexts(await reader.get(id))).toEqual([slowChunks(20).join('|')]);
        return undefined;
      }),
    );
    const stories = told.filter((story) => story !== undefined);
    expect(stories.length).toBeGreaterThan(10);
    for (const story of stories) {
      expect(word(story[0]!)).toMatch(/^Task /);
      expect(chunks(story)).toEqual(slowChunks(20));
    }
  }, 30_000);

  it('A15 10 000 events of 50 tasks come to every stream exactly once', async () => {
    const { onA, onB } = replicas();
    const told = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const [sender, reader] = i % 2 === 0 ? [onA(), onB()] : [onB(), onA()];
        const sending = events(await openSend(sender, 'chunks:200'));
        const first = (await sending.next()).value!;
        const following = follow(reader, taskIdOf([first]), first.id);
        const sent = [first];
        for await (const event of sending) sent.push(event);
        return { sent, followed: [first, ...(await following)] };
      }),
    );
    for (const { sent, followed } of told) {
      expect(chunks(sent)).toEqual(Array.from({ length: 200 }, (_, i) => `token-${i} `));
      expect(word(sent.at(-1)!)).toBe('COMPLETED');
      expect(plain(followed)).toEqual(plain(sent));
    }
  }, 60_000);
}

const WORDS_OF_SLOW_8 = [
  'Task SUBMITTED',
  'WORKING',
  'c0',
  ...Array.from({ length: 6 }, (_, i) => `+c${i + 1}`),
  '+c7.',
  'COMPLETED',
];

function expectGrowing(story: readonly StreamedEvent[]): void {
  const ids = story.map(({ id }) => id);
  expect(ids.every((id, i) => i === 0 || id > ids[i - 1]!)).toBe(true);
}
