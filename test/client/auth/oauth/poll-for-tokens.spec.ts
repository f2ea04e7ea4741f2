import { describe, expect, it } from 'vitest';
import { pollForTokens } from '../../../../lib/client/auth/oauth/poll-for-tokens.js';
import { TokenRequestError } from '../../../../lib/client/auth/oauth/token-request-error.js';
import { tokenSetOf } from '../../../../lib/client/auth/oauth/token-set.js';

const TOKENS = tokenSetOf({ access_token: 'a' }, 0);
const { signal } = new AbortController();

/** The pauses before each request, whose outcomes are given. */
async function poll(
  outcomes: (Error | undefined)[],
  polling = { expiresIn: 600, interval: 2 as number | undefined },
) {
  const pauses: number[] = [];
  let i = 0;
  const request = async () => {
    const outcome = outcomes[i++];
    if (outcome) throw outcome;
    return TOKENS;
  };
  const pause = async (ms: number) => void pauses.push(ms);
  const result = await pollForTokens(request, polling, signal, pause).catch((error: unknown) => error);
  return { pauses, result };
}

const refusal = (code: string) => new TokenRequestError('no', { code, status: 400 });
const outage = () => new TokenRequestError('down', { cause: new Error('reset') });
const trouble = () => new TokenRequestError('down', { status: 503 });

describe('polling for tokens', () => {
  it('waits for the interval before each request, and longer when it is told to', async () => {
    const pending = refusal('authorization_pending');
    const { pauses, result } = await poll([pending, refusal('slow_down'), pending, refusal('slow_down')]);
    expect(pauses).toEqual([2_000, 2_000, 7_000, 7_000, 12_000]);
    expect(result).toBe(TOKENS);
  });

  it('waits for 5 s when the server does not say', async () => {
    expect((await poll([], { expiresIn: 600, interval: undefined })).pauses).toEqual([5_000]);
  });

  it('waits twice as long when the server cannot be reached', async () => {
    const { pauses, result } = await poll([outage(), trouble()]);
    expect(pauses).toEqual([2_000, 4_000, 8_000]);
    expect(result).toBe(TOKENS);
  });

  it('never waits longer than timers can', async () => {
    expect((await poll([], { expiresIn: 1e9, interval: 1e9 })).pauses).toEqual([300_000]);
  });

  it.each(['access_denied', 'expired_token', 'invalid_grant', 'invalid_client'])(
    'ends with %s',
    async (code) => {
      const { pauses, result } = await poll([refusal(code)]);
      expect(pauses).toHaveLength(1);
      expect(result).toMatchObject({ name: 'TokenRequestError', code });
    },
  );

  it('ends with an answer that is none', async () => {
    const { pauses } = await poll([new TokenRequestError('no JSON', { status: 200 })]);
    expect(pauses).toHaveLength(1);
  });

  it('ends when the code has expired, before it asks', async () => {
    const { result } = await poll([refusal('authorization_pending')], { expiresIn: 0, interval: 1 });
    expect(result).toMatchObject({ code: 'expired_token' });
  });

  it('ends with its signal', async () => {
    const leaving = new AbortController();
    const polling = pollForTokens(
      () => Promise.reject(outage()),
      { expiresIn: 60, interval: 30 },
      leaving.signal,
    );
    leaving.abort(new Error('bye'));
    await expect(polling).rejects.toThrow('bye');
  });
});
