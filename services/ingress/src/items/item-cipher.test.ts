import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemCipher } from './item-cipher.ts';

describe('the cipher of kept items', () => {
  const cipher = new ItemCipher(randomBytes(32));

  it('opens what it sealed', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), fc.string({ unit: 'grapheme' }), (account, id, text) => {
        expect(cipher.open(account, id, cipher.seal(account, id, text))).toBe(text);
      }),
    );
  });

  it('opens nothing of another account, id or key', () => {
    const sealed = cipher.seal('account', 'msg_1', 'a secret');
    expect(cipher.open('other', 'msg_1', sealed)).toBeUndefined();
    expect(cipher.open('account', 'msg_2', sealed)).toBeUndefined();
    expect(new ItemCipher(randomBytes(32)).open('account', 'msg_1', sealed)).toBeUndefined();
    expect(cipher.open('account', 'msg_1', 'bm90IHNlYWxlZA==')).toBeUndefined();
  });

  it('shows nothing of the text', () => {
    expect(Buffer.from(cipher.seal('account', 'msg_1', 'a secret'), 'base64').toString('latin1')).not.toContain(
      'secret',
    );
  });
});
