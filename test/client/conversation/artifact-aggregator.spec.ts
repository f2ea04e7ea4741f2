import fc from 'fast-check';
import { textPart, userMessage, type StreamResponse } from 'nest-a2a';
import { ArtifactAggregator } from 'nest-a2a/client';
import { describe, expect, it } from 'vitest';
import { fold } from '../streams/recorded-peer.js';
import { stories } from '../streams/stories.js';

const IDS = { taskId: 't', contextId: 'c' };

function chunk(
  artifactId: string,
  text: string,
  more: { append?: boolean; lastChunk?: boolean } = {},
): StreamResponse {
  return { artifactUpdate: { ...IDS, artifact: { artifactId, parts: [textPart(text)] }, ...more } };
}

function aggregate(...events: StreamResponse[]): ArtifactAggregator {
  const aggregator = new ArtifactAggregator();
  for (const event of events) aggregator.add(event);
  return aggregator;
}

describe('ArtifactAggregator', () => {
  it('puts chunks together that come in turn, each artifact in one piece', () => {
    const { artifacts, text } = aggregate(
      chunk('a', 'one '),
      chunk('b', 'uno '),
      chunk('a', 'two', { append: true }),
      chunk('b', 'due', { append: true }),
    );
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(['a', 'b']);
    expect(text).toBe('one two\nuno due');
  });

  it('begins anew what is not appended', () => {
    expect(aggregate(chunk('a', 'draft'), chunk('a', 'final')).text).toBe('final');
  });

  it('knows which artifacts are complete', () => {
    const aggregator = aggregate(chunk('a', '1', { lastChunk: true }), chunk('b', '1'));
    expect([aggregator.isComplete('a'), aggregator.isComplete('b')]).toEqual([true, false]);
    aggregator.add(chunk('a', 'again'));
    expect(aggregator.isComplete('a')).toBe(false);
    aggregator.add({ statusUpdate: { ...IDS, status: { state: 'TASK_STATE_COMPLETED' } } });
    expect([aggregator.isComplete('a'), aggregator.isComplete('b')]).toEqual([true, true]);
  });

  it('takes a stream that does not begin with the Task', () => {
    const status = { state: 'TASK_STATE_WORKING' as const, message: userMessage('at it') };
    const { task } = aggregate({ statusUpdate: { ...IDS, status, metadata: { a: 1 } } }, chunk('a', 'x'));
    expect(task).toEqual({
      id: 't',
      contextId: 'c',
      status,
      metadata: { a: 1 },
      artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }],
    });
  });

  it('keeps a Message, which is no task', () => {
    const message = userMessage('Hello');
    const aggregator = aggregate({ message });
    expect(aggregator).toMatchObject({ message, task: undefined, artifacts: [], text: '' });
  });

  it('is the fold of any stream', () => {
    fc.assert(
      fc.property(stories, (story) => {
        expect(aggregate(...story).task).toEqual(fold(story));
      }),
    );
  });
});
