import fc from 'fast-check';
import { isSettled, type StreamResponse } from 'nest-a2a';
import { A2AClient, isResync } from 'nest-a2a/client';
import { describe, expect, it } from 'vitest';
import { fold, RecordedPeer, type Way } from './recorded-peer.js';
import { fates, SENT, stories } from './stories.js';

const WAYS: readonly Way[] = ['numbers its events', 'opens with a snapshot', 'lets nobody subscribe'];
const RESUME = { initialDelayMs: 0, maxDelayMs: 10_000, maxPollMs: 0 };
const RUNS = { numRuns: 300 };

async function read(peer: RecordedPeer): Promise<StreamResponse[]> {
  const client = new A2AClient(peer, { resume: RESUME });
  const events: StreamResponse[] = [];
  for await (const event of client.stream({ message: SENT })) events.push(event);
  return events;
}

/** The texts of all parts, by artifact, in the order in which updates told them. */
function toldParts(events: readonly StreamResponse[]): Record<string, string[]> {
  const told: Record<string, string[]> = {};
  for (const { artifactUpdate } of events) {
    if (!artifactUpdate) continue;
    const { artifactId, parts } = artifactUpdate.artifact;
    (told[artifactId] ??= []).push(...parts.map(({ text }) => text!));
  }
  return told;
}

function checkComplete(events: readonly StreamResponse[], story: readonly StreamResponse[]): void {
  expect(toldParts(events)).toEqual(toldParts(story));
  expect(fold(events)).toEqual(fold(story));
  const last = events.findLast(({ task, statusUpdate }) => task ?? statusUpdate)!;
  expect(isSettled((last.task ?? last.statusUpdate!).status.state)).toBe(true);
}

describe('a stream that is cut', () => {
  it('is told as if it had not been, where the peer numbers its events', async () => {
    await fc.assert(
      fc.asyncProperty(stories, fates, async (story, cuts) => {
        expect(await read(new RecordedPeer(story, 'numbers its events', cuts))).toEqual(story);
      }),
      RUNS,
    );
  });

  it.each(WAYS.slice(1))(
    'tells each chunk once and ends at the same task, where the peer %s',
    async (way) => {
      await fc.assert(
        fc.asyncProperty(stories, fates, async (story, cuts) => {
          const fresh = cuts.map((cut) => ({ ...cut, lag: 0 }));
          checkComplete(await read(new RecordedPeer(story, way, fresh)), story);
        }),
        RUNS,
      );
    },
  );

  it('tells each chunk once, where snapshots are older than what was told', async () => {
    await fc.assert(
      fc.asyncProperty(stories, fates, async (story, cuts) => {
        checkComplete(await read(new RecordedPeer(story, 'opens with a snapshot', cuts)), story);
      }),
      RUNS,
    );
  });

  it.each(WAYS)('may be cut at every place, where the peer %s', async (way) => {
    await fc.assert(
      fc.asyncProperty(stories, fc.nat(5), fc.boolean(), async (story, missed, breaks) => {
        for (let events = 1; events < story.length; events++) {
          const told = await read(new RecordedPeer(story, way, [{ events, missed, breaks }]));
          checkComplete(told, story);
          if (way === 'numbers its events') expect(told.some(isResync)).toBe(false);
        }
      }),
      { numRuns: 50 },
    );
  });
});
