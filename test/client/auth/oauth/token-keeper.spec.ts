import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TokenKeeper } from '../../../../lib/client/auth/oauth/token-keeper.js';
import { tokenSetOf, type TokenSet } from '../../../../lib/client/auth/oauth/token-set.js';

let now = 1_000_000;

/** Tokens that are numbered, each got when the test says so. */
class Source {
  readonly previous: (TokenSet | undefined)[] = [];
  readonly waiting: PromiseWithResolvers<void>[] = [];
  readonly signals: AbortSignal[] = [];
  held = false;
  count = 0;
  expiresIn: number | undefined = 300;

  readonly obtain = async (previous: TokenSet | undefined, abandoned: AbortSignal): Promise<TokenSet> => {
    this.previous.push(previous);
    this.signals.push(abandoned);
    if (this.held) {
      const gate = withResolvers();
      this.waiting.push(gate);
      await gate.promise;
    }
    this.count += 1;
    return tokenSetOf({ access_token: `token-${this.count}`, expires_in: this.expiresIn }, now, previous);
  };
}

interface PromiseWithResolvers<T> {
  promise: Promise<T>;
  resolve: () => void;
  reject: (error: Error) => void;
}

function withResolvers(): PromiseWithResolvers<void> {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

function setup() {
  const source = new Source();
  return { source, keeper: new TokenKeeper(source.obtain, () => now) };
}
const turn = () => sleep(0);

describe('kept tokens', () => {
  it.each([
    [300, 270],
    [100, 90],
    [3_600, 3_570],
  ])('that live for %i s are used for %i s', async (expiresIn, used) => {
    const { source, keeper } = setup();
    source.expiresIn = expiresIn;
    const first = await keeper.token();
    now += used * 1_000 - 1;
    expect(await keeper.token()).toBe(first);
    now += 1;
    expect((await keeper.token()).reveal()).toBe('token-2');
    expect(source.previous[1]?.accessToken).toBe(first);
  });

  it('without an end are used until they are refused', async () => {
    const { source, keeper } = setup();
    source.expiresIn = undefined;
    const first = await keeper.token();
    now += 1e9;
    expect(await keeper.token()).toBe(first);
    expect(await keeper.renew(first)).toBe(true);
    expect((await keeper.token()).reveal()).toBe('token-2');
  });

  it('are got once for all who need them', async () => {
    const { source, keeper } = setup();
    const all = await Promise.all(Array.from({ length: 50 }, () => keeper.token()));
    expect(new Set(all.map((token) => token.reveal()))).toEqual(new Set(['token-1']));
    const renewed = await Promise.all(all.map((token) => keeper.renew(token)));
    expect(renewed.every(Boolean)).toBe(true);
    expect(source.count).toBe(2);
    // Somebody whose 401 comes late.
    expect(await keeper.renew(all[0]!)).toBe(true);
    expect(source.count).toBe(2);
  });

  it('that are refused are not given to anybody else', async () => {
    const { source, keeper } = setup();
    const first = await keeper.token();
    source.held = true;
    const renewal = keeper.renew(first);
    const other = keeper.token();
    await turn();
    source.waiting[0]!.resolve();
    expect(await renewal).toBe(true);
    expect((await other).reveal()).toBe('token-2');
  });

  it('that come again after they were refused are no others', async () => {
    const same = { access_token: 'same' };
    const keeper = new TokenKeeper(async () => tokenSetOf(same, now));
    expect(await keeper.renew(await keeper.token())).toBe(false);
  });

  it('that cannot be had are asked for again by the next', async () => {
    const { source, keeper } = setup();
    source.held = true;
    const both = [keeper.token(), keeper.token()];
    await turn();
    source.waiting[0]!.reject(new Error('down'));
    for (const token of both) await expect(token).rejects.toThrow('down');
    source.held = false;
    expect((await keeper.token()).reveal()).toBe('token-1');
  });

  it('come to the others when one leaves', async () => {
    const { source, keeper } = setup();
    source.held = true;
    const leaving = new AbortController();
    const left = keeper.token(leaving.signal);
    const stays = keeper.token();
    await turn();
    leaving.abort(new Error('bye'));
    await expect(left).rejects.toThrow('bye');
    expect(source.signals[0]!.aborted).toBe(false);
    source.waiting[0]!.resolve();
    expect((await stays).reveal()).toBe('token-1');
  });

  it('are not waited for any more when all have left, and are kept when they come nevertheless', async () => {
    const { source, keeper } = setup();
    source.held = true;
    const leaving = new AbortController();
    const left = keeper.token(leaving.signal);
    await turn();
    leaving.abort(new Error('bye'));
    await expect(left).rejects.toThrow('bye');
    expect(source.signals[0]!.aborted).toBe(true);
    const next = keeper.token();
    await turn();
    // Not at the same time: both would use the same refresh token.
    expect(source.waiting).toHaveLength(1);
    source.waiting[0]!.resolve();
    expect((await next).reveal()).toBe('token-1');
    expect(source.count).toBe(1);
  });
});
