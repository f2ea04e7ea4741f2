import { describe, expect, it } from 'vitest';
import { parse } from '../../lib/protocol/door.js';
import { artifact, status } from '../../lib/protocol/events.js';
import { agentMessage, userMessage } from '../../lib/protocol/messages.js';
import { dataPart, filePart, textPart, urlPart } from '../../lib/protocol/parts.js';
import { TASK_STATES, isInterrupted, isSettled, isTerminal } from '../../lib/protocol/task-state.js';
import { getText } from '../../lib/protocol/text.js';

const ID = /^[0-9a-f-]{36}$/;

describe('the builders of parts', () => {
  it.each([
    [textPart('hi'), { text: 'hi' }],
    [textPart('', { mediaType: 'text/markdown' }), { text: '', mediaType: 'text/markdown' }],
    [dataPart(null), { data: null }],
    [dataPart([1], { metadata: { a: 1 } }), { data: [1], metadata: { a: 1 } }],
    [filePart('QQ==', { filename: 'a' }), { raw: 'QQ==', filename: 'a' }],
    [filePart(new Uint8Array([9, 65, 9]).subarray(1, 2)), { raw: 'QQ==' }],
    [urlPart('https://a', { mediaType: 'image/png' }), { url: 'https://a', mediaType: 'image/png' }],
  ])('give %j', (part, expected) => {
    expect(part).toEqual(expected);
    expect(parse('Part', part)).toEqual(expected);
  });
});

describe('the builders of messages', () => {
  it('take text or parts and make an id', () => {
    expect(userMessage('hi')).toEqual({
      messageId: expect.stringMatching(ID),
      role: 'ROLE_USER',
      parts: [{ text: 'hi' }],
    });
    expect(agentMessage([{ data: 1 }], { messageId: 'm', taskId: 't' })).toEqual({
      messageId: 'm',
      role: 'ROLE_AGENT',
      parts: [{ data: 1 }],
      taskId: 't',
    });
    expect(userMessage('a').messageId).not.toBe(userMessage('a').messageId);
  });
});

describe('the builders of events', () => {
  it('give a status', () => {
    expect(status('TASK_STATE_WORKING')).toEqual({
      statusUpdate: { status: { state: 'TASK_STATE_WORKING' } },
    });
    const message = agentMessage('Sign in');
    const options = { metadata: { a: 1 }, timestamp: '2025-01-01T00:00:00.000Z' };
    expect(status('TASK_STATE_AUTH_REQUIRED', message, options)).toEqual({
      statusUpdate: {
        status: { state: 'TASK_STATE_AUTH_REQUIRED', message, timestamp: options.timestamp },
        metadata: { a: 1 },
      },
    });
    for (const content of ['x', [textPart('x')]]) {
      expect(status('TASK_STATE_FAILED', content).statusUpdate.status.message).toMatchObject({
        role: 'ROLE_AGENT',
        parts: [{ text: 'x' }],
      });
    }
  });

  it('give a whole artifact, or a piece of one', () => {
    expect(artifact('x', { name: 'n', metadata: { a: 1 } })).toEqual({
      artifactUpdate: {
        artifact: {
          artifactId: expect.stringMatching(ID),
          name: 'n',
          metadata: { a: 1 },
          parts: [{ text: 'x' }],
        },
        lastChunk: true,
      },
    });
    const piece = { artifact: { artifactId: 'a', parts: [{ text: 'x' }] } };
    const of = (options: object) => artifact([textPart('x')], { artifactId: 'a', ...options }).artifactUpdate;
    expect(of({ lastChunk: false })).toEqual(piece);
    expect(of({ append: false })).toEqual(piece);
    expect(of({ append: true })).toEqual({ ...piece, append: true });
    expect(of({ append: true, lastChunk: true })).toEqual({ ...piece, append: true, lastChunk: true });
  });
});

describe('getText', () => {
  it('joins the text parts and leaves out the others', () => {
    const parts = [textPart('a'), dataPart('b'), textPart(''), textPart('c')];
    expect(getText(parts)).toBe('a\n\nc');
    expect(getText({ parts }, '')).toBe('ac');
    expect(getText(userMessage('hi'))).toBe('hi');
    expect(getText([])).toBe('');
  });
});

describe('the task states', () => {
  it('end, wait or go on', () => {
    expect(TASK_STATES).toHaveLength(8);
    expect(TASK_STATES.filter(isTerminal)).toEqual([
      'TASK_STATE_COMPLETED',
      'TASK_STATE_FAILED',
      'TASK_STATE_CANCELED',
      'TASK_STATE_REJECTED',
    ]);
    expect(TASK_STATES.filter(isInterrupted)).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_AUTH_REQUIRED',
    ]);
    expect(TASK_STATES.filter((state) => !isSettled(state))).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
    ]);
  });
});
