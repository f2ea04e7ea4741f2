import { describe, expect, it } from 'vitest';
import { keepUser, toUser } from '../../lib/interfaces/to-user.js';

const USER = { id: 'ann', scopes: ['read'], claims: { tenant: 'a', nested: { level: 1 } } };

describe('toUser', () => {
  it('copies what is plain', () => {
    const given = structuredClone(USER);
    const user = toUser(given);
    given.claims.nested.level = 2;
    given.scopes.push('write');
    expect(user).toEqual(USER);
  });

  it('writes everything else as JSON does', () => {
    const since = new Date(0);
    const given = {
      sub: 'ann',
      since,
      nothing: undefined,
      amount: NaN,
      list: [undefined, since],
      row: new Row(),
    };
    expect(toUser(given)).toEqual({
      id: 'ann',
      claims: { since: since.toISOString(), amount: null, list: [null, since.toISOString()], row: { n: 1 } },
    });
  });

  it('takes no prototype from a user', () => {
    const user = toUser(JSON.parse('{"id":"ann","__proto__":{"admin":true}}'));
    expect(Object.getPrototypeOf(user!.claims)).toBe(Object.prototype);
    expect((user!.claims as { admin?: boolean }).admin).toBeUndefined();
  });

  it('says what cannot be written', () => {
    const given: Record<string, unknown> = { id: 'ann' };
    given['self'] = given;
    expect(() => toUser(given)).toThrow('cannot be written as JSON');
  });
});

describe('keepUser', () => {
  it('is made plain once', () => {
    const kept = keepUser(structuredClone(USER));
    expect(kept).toEqual(USER);
    expect(toUser(kept)).toEqual(USER);
    expect(toUser(kept)).toBe(toUser(kept));
  });

  it('is made plain again when somebody has changed it, at any depth', () => {
    const kept = keepUser(structuredClone(USER));
    const before = toUser(kept);
    (kept.claims as { nested: { level: number } }).nested.level = 2;
    expect(toUser(kept)).toEqual({ ...USER, claims: { tenant: 'a', nested: { level: 2 } } });
    expect(before).toEqual(USER);
  });
});

class Row {
  readonly n = 1;
}
