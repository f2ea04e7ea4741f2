import { describe, expect, it } from 'vitest';
import { cardPaths } from '../../lib/agent-card/card-paths.js';

const SUFFIX = '.well-known/agent-card.json';

describe('cardPaths', () => {
  it('serves the owner at the origin, and each below its path with and without prefix', () => {
    const a = { path: 'api/a', barePath: 'a', wellKnown: false };
    const b = { path: 'api/b', barePath: 'b', wellKnown: true };
    expect([...cardPaths([a, b])]).toEqual([
      [`/${SUFFIX}`, b],
      [`/api/a/${SUFFIX}`, a],
      [`/api/b/${SUFFIX}`, b],
      [`/a/${SUFFIX}`, a],
      [`/b/${SUFFIX}`, b],
    ]);
  });

  it('lets no path without prefix hide another agent', () => {
    const a = { path: 'x/a', barePath: 'a', wellKnown: false };
    const b = { path: 'a', barePath: 'a', wellKnown: false };
    expect(cardPaths([a, b]).get(`/a/${SUFFIX}`)).toBe(b);
  });

  it('has nothing at the origin when nobody owns it', () => {
    expect(cardPaths([{ path: 'a', barePath: 'a', wellKnown: false }]).has(`/${SUFFIX}`)).toBe(false);
  });
});
