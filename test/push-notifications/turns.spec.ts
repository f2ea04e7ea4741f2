import { nextTurn } from '../../lib/interfaces/next-turn.js';
import { describe, expect, it } from 'vitest';
import { Turns } from '../../lib/push-notifications/turns.js';

/** Work that is told when to end. */
class Works {
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];

  constructor(private readonly turns: Turns) {}

  take(place: string, name = place): Promise<string> {
    return this.turns.take(place, async () => {
      this.begun.push(name);
      await new Promise<void>((resolve) => this.#ends.push(resolve));
      return name;
    });
  }

  /** Ends the work that began first. */
  async end(): Promise<void> {
    this.#ends.shift()!();
    await nextTurn();
  }
}

describe('Turns', () => {
  it('bounds each place and all of them', async () => {
    const works = new Works(new Turns(3, 2));
    for (const place of ['a', 'a', 'a', 'b', 'b', 'b']) void works.take(place);
    await nextTurn();
    expect(works.begun).toEqual(['a', 'a', 'b']);
    await works.end();
    await works.end();
    expect(works.begun).toHaveLength(5);
  });

  it('keeps the order within a place, and gives each its turn', async () => {
    const works = new Works(new Turns(1, 1));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) void works.take(name[0]!, name);
    await nextTurn();
    for (let i = 0; i < 4; i += 1) await works.end();
    expect(works.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('goes on after work that failed', async () => {
    const turns = new Turns(1, 1);
    await expect(turns.take('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(turns.take('a', async () => 'yes')).resolves.toBe('yes');
  });

  it('says where enough wait, and when there is room again', async () => {
    const roomy: number[] = [];
    let begun = 0;
    const turns = new Turns(10, 1, () => roomy.push(begun));
    const ends: (() => void)[] = [];
    const go = () => {
      begun += 1;
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    for (let i = 0; i < 201; i += 1) turns.wait('slow', go);
    turns.wait('fast', go);
    expect([...turns.full]).toEqual(['slow']);
    while (roomy.length === 0) {
      ends.shift()!();
      await nextTurn();
    }
    expect(turns.full.size).toBe(0);
    // One of them is the one of the other place.
    expect(roomy).toEqual([102]);
  });
});
