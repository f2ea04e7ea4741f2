import { describe, expect, it } from 'vitest';
import type { TraceContext } from '../../lib/interfaces/server-call-context.js';
import { headersOf } from '../../lib/push-notifications/headers-of.js';

const CONFIG = { id: 'c', taskId: 't', url: 'https://hook.example.com' };
const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

/** The trace context that a webhook sees, as a receiver reads it; throws where the headers cannot be sent. */
function sentFor(trace?: TraceContext): (string | null)[] {
  const headers = new Headers(headersOf(CONFIG, 'n', trace));
  expect(headers.get('content-type')).toBe('application/a2a+json');
  return [headers.get('traceparent'), headers.get('tracestate')];
}

describe('the headers of a notification', () => {
  it('name the trace context that there is', () => {
    expect(sentFor({ traceparent: TRACEPARENT, tracestate: 'vendor=a' })).toEqual([TRACEPARENT, 'vendor=a']);
    expect(sentFor({ traceparent: TRACEPARENT })).toEqual([TRACEPARENT, null]);
    expect(sentFor()).toEqual([null, null]);
  });

  it.each(['vendor=a\r\nx-more: 1', 'vendor=\u0000', 'vendor=\u2028', 'vendor=\ud83d\ude00'])(
    'leave out what cannot stand in one: %j',
    (text) => {
      expect(sentFor({ traceparent: TRACEPARENT, tracestate: text })).toEqual([TRACEPARENT, null]);
      expect(sentFor({ traceparent: text, tracestate: 'vendor=a' })).toEqual([null, null]);
    },
  );
});
