import { describe, expect, it } from 'vitest';
import { OpenDeliveries, type OpenDelivery } from '../../lib/stores/open-deliveries.js';

const NOW = 1_000;

function make(name: string, place = 'a'): OpenDelivery & { name: string } {
  return { name, place, holder: undefined, heldUntil: 0 };
}

describe('OpenDeliveries', () => {
  const setUp = () => {
    const open = new OpenDeliveries<ReturnType<typeof make>>();
    const [one, two, other] = [make('one'), make('two'), make('other', 'b')];
    for (const delivery of [one, two, other]) open.add(delivery);
    const free = (exceptTo?: string[], now = NOW) =>
      [...open.free(now, exceptTo && new Set(exceptTo))].map(({ name }) => name);
    return { open, one, two, other, free };
  };

  it('gives those that are free, without those of a place', () => {
    const { free } = setUp();
    expect(free()).toEqual(['one', 'two', 'other']);
    expect(free(['a'])).toEqual(['other']);
    expect(free(['a', 'b'])).toEqual([]);
  });

  it('keeps to itself what is held, until it is given back or its time is over', () => {
    const { open, one, free } = setUp();
    open.hold(one, 'me', NOW + 10);
    expect(free()).toEqual(['two', 'other']);
    expect(open.heldBy('me')).toEqual([one]);
    expect(free(undefined, NOW + 10)).toEqual(['one', 'two', 'other']);
    open.add(one);
    expect(open.heldBy('me')).toEqual([]);
    expect(free()).toEqual(['two', 'one', 'other']);
  });

  it('forgets what is over, held or not', () => {
    const { open, one, other, free } = setUp();
    open.hold(one, 'me', NOW - 1);
    open.delete(one);
    open.delete(other);
    expect(free()).toEqual(['two']);
    expect(open.heldBy('me')).toEqual([]);
  });

  it('may be taken from while it is gone through', () => {
    const { open, free } = setUp();
    for (const delivery of open.free(NOW)) open.hold(delivery, 'me', NOW + 1);
    expect(free()).toEqual([]);
    expect(open.heldBy('me')).toHaveLength(3);
  });
});
