import { setTimeout as sleep } from 'node:timers/promises';
import { AgentExecutor, type RequestContext, Skill, TaskEndedError, TaskHandle } from 'nest-a2a';
import { expect, it } from 'vitest';
import { artifactTexts, historyTexts, show, stateOf } from '../conformance/support/show.js';
import type { ServedApp } from '../conformance/support/app.js';
import type { BackingKind } from '../support/backing.js';
import { sse } from '../support/sse.js';
import { describeTwoApps } from './support/two-apps.js';

/** Leaves its task to its handle, or tells what it knows of the conversation. */
@Skill({ id: 'race', name: 'Race', description: 'Races', tags: ['test'] })
@AgentExecutor({ name: 'Racer', description: 'Ends in many ways at once', version: '1' })
class Racer {
  async execute(context: RequestContext): Promise<void> {
    const { updater, userInput } = context;
    if (userInput === 'detach') {
      await updater.startWork();
      return updater.detach();
    }
    const [, limit] = /^history (\d+)$/.exec(userInput) ?? [];
    await updater.addArtifact(limit ? await tell(context, Number(limit)) : `about ${userInput}`);
    await updater.complete();
  }
}

async function tell(context: RequestContext, limit: number): Promise<string> {
  const tasks = await context.contextHistory({ limit });
  return JSON.stringify(
    tasks.map((task) => [...historyTexts(task), ...artifactTexts(task).map((t) => `= ${t}`)]),
  );
}

const KINDS: readonly (readonly [string, BackingKind])[] = [
  ['in memory', { STORE: 'memory', QUEUE: 'memory' }],
  ['over one SQLite file', { STORE: 'sqlite', QUEUE: 'typeorm' }],
  ['over PostgreSQL', { STORE: 'postgres', QUEUE: 'typeorm' }],
  ['over MariaDB', { STORE: 'mariadb', QUEUE: 'typeorm' }],
  ['over PostgreSQL and Redis', { STORE: 'postgres', QUEUE: 'redis' }],
];

const RACES = 500;
const AT_A_TIME = 10;

for (const [place, kind] of KINDS) {
  describeTwoApps(`two applications ${place}`, kind, Racer, (apps) => {
    it(`C02 ${RACES} tasks for whose end both race have one end each`, async () => {
      const { a, b } = apps();
      const ends = { COMPLETED: 0, FAILED: 0, CANCELED: 0 };
      for (let done = 0; done < RACES; done += AT_A_TIME) {
        const batch = Array.from({ length: AT_A_TIME }, (_, i) => race(i % 2 ? a : b, i % 2 ? b : a));
        for (const end of await Promise.all(batch)) ends[end] += 1;
      }
      expect(ends.COMPLETED + ends.FAILED + ends.CANCELED).toBe(RACES);
      // A race that is always won by the same is none.
      expect(ends.CANCELED).toBeGreaterThan(0);
      expect(ends.COMPLETED + ends.FAILED).toBeGreaterThan(0);
    }, 180_000);

    it('C01, C21 200 writes from both at once: nothing that was accepted before a cancel is lost', async () => {
      const { a, b } = apps();
      const peer = a.peer();
      const { id } = await peer.start('detach');
      const accepted = { artifacts: [] as string[], messages: [] as string[] };
      const refused: string[] = [];
      const note = (work: Promise<unknown>, list: string[], text: string) =>
        work.then(
          () => void list.push(text),
          (error: unknown) => void refused.push(String(error)),
        );
      const writes = Array.from({ length: 100 }, (_, i) => {
        const [one, other] = i % 2 ? [a, b] : [b, a];
        const message = { message: { taskId: id } };
        return [
          note(handle(one).for(id).addArtifact(`artifact ${i}`), accepted.artifacts, `artifact ${i}`),
          note(other.peer('HTTP+JSON').start(`message ${i}`, message), accepted.messages, `message ${i}`),
        ];
      }).flat();
      await Promise.any(writes);
      const canceling = sleep(150).then(() => b.peer().ok('CancelTask', { id }));
      await Promise.all([...writes, canceling]);

      const task = await peer.get(id);
      expect(stateOf(task)).toBe('CANCELED');
      expect(artifactTexts(task).toSorted()).toEqual(accepted.artifacts.toSorted());
      expect(historyTexts(task).toSorted()).toEqual(
        ['U: detach', ...accepted.messages.map((text) => `U: ${text}`)].toSorted(),
      );
      expect(accepted.artifacts.length + accepted.messages.length + refused.length).toBe(200);
      for (const error of refused) expect(error).toMatch(/UNSUPPORTED_OPERATION|takes no more events/);
      for (const app of [a, b]) expect(await app.peer().get(id)).toEqual(task);
    }, 60_000);

    it('C21 200 writes from both at once are all kept when nobody ends the task', async () => {
      const { a, b } = apps();
      const { id } = await a.peer().start('detach');
      const texts = Array.from({ length: 200 }, (_, i) => `artifact ${i}`);
      await Promise.all(
        texts.map((text, i) =>
          handle(i % 2 ? a : b)
            .for(id)
            .addArtifact(text),
        ),
      );
      await handle(b).for(id).complete();
      const task = await a.peer().get(id);
      expect(artifactTexts(task).toSorted()).toEqual(texts.toSorted());
      expect(await b.peer().get(id)).toEqual(task);
    }, 60_000);

    it('C24 a conversation is the same on both, bounded, and of one owner only', async () => {
      const { a, b } = apps();
      const message = { contextId: `talk ${place}` };
      await a.peer().as('ada').send('one', { message });
      await b.peer().as('ada').send('two', { message });
      await a.peer().as('eve').send('secret', { message });
      await b
        .peer()
        .as('ada')
        .send('elsewhere', { message: { contextId: 'another' } });
      for (const app of [a, b]) {
        const told = async (user: string, text: string) =>
          JSON.parse(artifactTexts(await app.peer().as(user).send(text, { message }))[0]!);
        expect((await told('ada', 'history 9')).slice(0, 2)).toEqual([
          ['U: one', '= about one'],
          ['U: two', '= about two'],
        ]);
        expect(await told('ada', 'history 1')).toHaveLength(1);
        expect((await told('eve', 'history 9'))[0]).toEqual(['U: secret', '= about secret']);
      }
    });
  });
}

function handle({ app }: ServedApp): TaskHandle {
  return app.get(TaskHandle);
}

/** One race between two applications; answers who won. */
async function race(one: ServedApp, other: ServedApp): Promise<'COMPLETED' | 'FAILED' | 'CANCELED'> {
  const peer = one.peer('JSONRPC');
  const { id } = await peer.start('detach');
  const [mine, theirs] = await Promise.all(
    [one, other].map(async (app) => {
      const watching = app.peer('HTTP+JSON');
      const frames = sse(await watching.request('SubscribeToTask', { id }));
      const first = watching.payload((await frames.next()).value!);
      return { first, frames, watching };
    }),
  );
  // Which comes first is a matter of luck; that one of them does is not.
  const soon = () => sleep(Math.random() * 60);
  const racers = [
    () => soon().then(() => handle(one).for(id).complete()),
    () => soon().then(() => handle(other).for(id).failed()),
    () => other.peer('JSONRPC').call('CancelTask', { id }),
  ].toSorted(() => Math.random() - 0.5);
  const results = await Promise.allSettled(racers.map((racer) => racer()));

  const endings = await Promise.all(
    [mine!, theirs!].map(async ({ frames, watching }) => {
      const events = [];
      for await (const frame of frames) if (frame.data) events.push(watching.payload(frame));
      return show(events).filter((line) => line !== 'WORKING');
    }),
  );
  expect(endings[0]).toHaveLength(1);
  expect(endings[1]).toEqual(endings[0]);
  const end = endings[0]![0]! as 'COMPLETED' | 'FAILED' | 'CANCELED';
  const [task, same] = await Promise.all([one.peer().get(id), other.peer().get(id)]);
  expect(stateOf(task)).toBe(end);
  expect(same).toEqual(task);
  const won = results.filter((result) => {
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(TaskEndedError);
    else if (result.value?.refusal) expect(result.value.refusal.reason).toBe('TASK_NOT_CANCELABLE');
    return result.status === 'fulfilled' && !result.value?.refusal;
  });
  expect(won).toHaveLength(1);
  return end;
}
