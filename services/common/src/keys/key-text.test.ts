import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountTagOf, isAccountTag, keyPrefix, newAccountTag, newKey, sha256Hex } from './key-text.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = keyPrefix('tollgate');

/** A source of bytes that fast-check chooses, so that a failure can be repeated. */
const keys = fc.infiniteStream(fc.integer({ min: 0, max: 255 })).map((bytes) => {
  const random = (size: number) => Buffer.from(Array.from(bytes.take(size)));
  const tag = newAccountTag(random);
  return { tag, key: newKey('tollgate', tag, random) };
});

describe('a key', () => {
  it('carries its tag and passes its own check', () => {
    fc.assert(
      fc.property(keys, ({ tag, key }) => {
        expect(key.text).toMatch(/^sk-tollgate-[0-9A-Za-z]{44}$/);
        expect(accountTagOf(prefix, key.text)).toBe(tag);
        expect(key.displayPrefix).toBe(`sk-tollgate-${tag}`);
        expect(key.text.endsWith(key.lastFour)).toBe(true);
        expect(key.sha256).toEqual(createHash('sha256').update(key.text).digest());
        expect(sha256Hex(key.text)).toBe(key.sha256.toString('hex'));
      }),
    );
  });

  it('is refused when any one character is another', () => {
    const replacement = fc.oneof(fc.constantFrom(...BASE62), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));
    fc.assert(
      fc.property(keys, fc.nat(), replacement, ({ key }, position, other) => {
        const at = position % key.text.length;
        fc.pre(key.text.charAt(at) !== other);
        expect(accountTagOf(prefix, key.text.slice(0, at) + other + key.text.slice(at + 1))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('is refused when neighbours are swapped, or it is cut or lengthened', () => {
    fc.assert(
      fc.property(keys, fc.nat(), ({ key }, position) => {
        const { text } = key;
        const at = position % (text.length - 1);
        const swapped = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
        fc.pre(swapped !== text);
        expect(accountTagOf(prefix, swapped)).toBeUndefined();
        expect(accountTagOf(prefix, text.slice(0, at))).toBeUndefined();
        expect(accountTagOf(prefix, text.slice(at + 1))).toBeUndefined();
        expect(accountTagOf(prefix, `${text}0`)).toBeUndefined();
      }),
    );
  });

  it('of another service is refused', () => {
    expect(accountTagOf(prefix, newKey('other', 'abcdef').text)).toBeUndefined();
  });

  it.each(['', 'sk-tollgate-', 'x'.repeat(10_000), `sk-tollgate-${'0'.repeat(44)}`, ' ', 'Bearer'])(
    'is not %.20j',
    (text) => {
      expect(accountTagOf(prefix, text)).toBeUndefined();
    },
  );
});

describe('an account tag', () => {
  it('is six base62 characters', () => {
    expect(isAccountTag('aZ09xY')).toBe(true);
    for (const text of ['', 'short', 'toolong', 'a}{b*c', 'é12345']) expect(isAccountTag(text)).toBe(false);
  });

  it('uses every digit about equally often', () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 5_000; round++) {
      for (const digit of newAccountTag()) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    // 30,000 digits: about 484 of each, with a deviation of 22; ten deviations are never met by chance.
    for (const count of counts.values()) expect(Math.abs(count - 484)).toBeLessThan(220);
  });
});
