import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemCipher } from './item-cipher.ts';

describe('the cipher of kept items', () => {
  const cipher = new ItemCipher([randomBytes(32)]);

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
    expect(new ItemCipher([randomBytes(32)]).open('account', 'msg_1', sealed)).toBeUndefined();
    expect(cipher.open('account', 'msg_1', 'bm90IHNlYWxlZA==')).toBeUndefined();
  });

  it('opens what each of its keys sealed, and seals with the first', () => {
    const [before, after] = [randomBytes(32), randomBytes(32)];
    const changing = new ItemCipher([after, before]);
    expect(changing.open('account', 'msg_1', new ItemCipher([before]).seal('account', 'msg_1', 'old'))).toBe('old');
    const sealed = changing.seal('account', 'msg_1', 'new');
    expect(new ItemCipher([after]).open('account', 'msg_1', sealed)).toBe('new');
    expect(new ItemCipher([before]).open('account', 'msg_1', sealed)).toBeUndefined();
  });

  it('takes no key of another length', () => {
    expect(() => new ItemCipher([randomBytes(32), randomBytes(16)])).toThrow('32 bytes');
    expect(() => new ItemCipher([])).toThrow('32 bytes');
  });

  it('shows nothing of the text', () => {
    expect(Buffer.from(cipher.seal('account', 'msg_1', 'a secret'), 'base64').toString('latin1')).not.toContain(
      'secret',
    );
  });
});
