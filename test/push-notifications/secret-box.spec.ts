import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretBox, UnreadableSecretError } from '../../lib/push-notifications/secret-box.js';

const PLACE = ['task', 'config', 'https://example.com/hook', 'token'];
const keyOf = (id: string) => ({ id, key: randomBytes(32) });
const OLD = keyOf('2025-01');
const NEW = keyOf('2026-12');
const box = new SecretBox({ keys: [OLD] });

function reasonOf(open: () => string): string {
  try {
    return `opened: ${open()}`;
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error;
    expect(error.message).not.toContain('geheim');
    return error.reason;
  }
}

describe('SecretBox', () => {
  it.each(['geheim', '', 'ünïque 😀\u0000', 'x'.repeat(10_000)])('opens what it sealed: %j', (text) => {
    const sealed = box.seal(text, PLACE);
    expect(sealed).toMatch(/^sealed:v1:2025-01:[\w-]+$/);
    expect(box.open(sealed, PLACE)).toBe(text);
  });

  it('never seals alike', () => {
    expect(new Set(Array.from({ length: 100 }, () => box.seal('geheim', PLACE))).size).toBe(100);
  });

  it('opens at the place that it sealed for, and nowhere else', () => {
    const sealed = box.seal('geheim', PLACE);
    PLACE.forEach((_, index) => {
      const moved = PLACE.map((part, i) => (i === index ? 'another' : part));
      expect(reasonOf(() => box.open(sealed, moved))).toBe('forged');
    });
    expect(reasonOf(() => box.open(sealed, ['taskconfig', ...PLACE.slice(2)]))).toBe('forged');
  });

  it('notices every change', () => {
    const sealed = box.seal('geheim', PLACE);
    const head = sealed.slice(0, sealed.lastIndexOf(':') + 1);
    const bytes = Buffer.from(sealed.slice(head.length), 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i]! ^= 1;
      expect(reasonOf(() => box.open(head + changed.toString('base64url'), PLACE))).toBe('forged');
    }
    for (const length of [1, 27, bytes.length - 1]) {
      const cut = bytes.subarray(0, length).toString('base64url');
      expect(reasonOf(() => box.open(head + cut, PLACE))).toBe('forged');
    }
    for (const odd of ['', '!', ':x', '='])
      expect(reasonOf(() => box.open(head + odd, PLACE))).toBe('forged');
  });

  it('changes its keys: the first seals, all open', () => {
    const sealed = box.seal('geheim', PLACE);
    const rotated = new SecretBox({ keys: [NEW, OLD] });
    expect(rotated.open(sealed, PLACE)).toBe('geheim');
    const anew = rotated.seal('geheim', PLACE);
    expect(anew).toContain(':2026-12:');
    expect(rotated.open(anew, PLACE)).toBe('geheim');
    expect(new SecretBox({ keys: [OLD, NEW] }).open(anew, PLACE)).toBe('geheim');
  });

  it('says which key is missing, and notices another one of its name', () => {
    const sealed = box.seal('geheim', PLACE);
    const without = new SecretBox({ keys: [NEW] });
    expect(() => without.open(sealed, PLACE)).toThrow(
      'sealed with the key "2025-01", which secrets.keys does not have',
    );
    expect(reasonOf(() => without.open(sealed, PLACE))).toBe('unknown-key');
    const another = new SecretBox({ keys: [keyOf(OLD.id)] });
    expect(reasonOf(() => another.open(sealed, PLACE))).toBe('forged');
    const twice = new SecretBox({ keys: [OLD, { ...OLD, id: NEW.id }] });
    expect(reasonOf(() => twice.open(sealed.replace(OLD.id, NEW.id), PLACE))).toBe('forged');
  });

  it('reads what was never sealed, or refuses it', () => {
    expect(box.open('geheim', PLACE)).toBe('geheim');
    const strict = new SecretBox({ keys: [OLD], plain: 'refuse' });
    expect(reasonOf(() => strict.open('geheim', PLACE))).toBe('plain');
    expect(strict.open(strict.seal('geheim', PLACE), PLACE)).toBe('geheim');
  });

  it('takes keys as bytes and as base64, and no others', () => {
    const bytes = randomBytes(32);
    const sealed = new SecretBox({ keys: [{ id: 'k', key: bytes }] }).seal('geheim', PLACE);
    for (const key of [bytes.toString('base64'), bytes.toString('base64url'), new Uint8Array(bytes)]) {
      expect(new SecretBox({ keys: [{ id: 'k', key }] }).open(sealed, PLACE)).toBe('geheim');
    }
    const wrong = [
      '',
      'secret',
      bytes.toString('hex'),
      randomBytes(31),
      randomBytes(33),
      randomBytes(16).toString('base64'),
      undefined as never,
    ];
    for (const key of wrong) {
      expect(() => new SecretBox({ keys: [{ id: 'k', key }] })).toThrow(
        'secrets.keys[0].key must be 32 bytes',
      );
    }
    expect(() => new SecretBox({ keys: [] })).toThrow('secrets.keys is empty');
    expect(() => new SecretBox({ keys: [OLD, OLD] })).toThrow('two keys with the id "2025-01"');
    for (const id of ['', 'a b', 'a:b', 'x'.repeat(65), undefined as never]) {
      expect(() => new SecretBox({ keys: [{ ...OLD, id }] })).toThrow('secrets.keys[0].id');
    }
  });
});
