import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemCipher } from './item-store.ts';

describe('ItemCipher', () => {
  const cipher = new ItemCipher([randomBytes(32)]);

  it('decrypts what it encrypted', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), fc.string({ unit: 'grapheme' }), (account, id, text) => {
        expect(cipher.decrypt(account, id, cipher.encrypt(account, id, text))).toBe(text);
      }),
    );
  });

  it('decrypts nothing of another account, id or key', () => {
    const encrypted = cipher.encrypt('account', 'msg_1', 'a secret');
    expect(cipher.decrypt('other', 'msg_1', encrypted)).toBeUndefined();
    expect(cipher.decrypt('account', 'msg_2', encrypted)).toBeUndefined();
    expect(new ItemCipher([randomBytes(32)]).decrypt('account', 'msg_1', encrypted)).toBeUndefined();
    expect(cipher.decrypt('account', 'msg_1', 'bm90IHNlYWxlZA==')).toBeUndefined();
  });

  it('decrypts with each of its keys, and encrypts with the first', () => {
    const [before, after] = [randomBytes(32), randomBytes(32)];
    const changing = new ItemCipher([after, before]);
    expect(changing.decrypt('account', 'msg_1', new ItemCipher([before]).encrypt('account', 'msg_1', 'old'))).toBe(
      'old',
    );
    const encrypted = changing.encrypt('account', 'msg_1', 'new');
    expect(new ItemCipher([after]).decrypt('account', 'msg_1', encrypted)).toBe('new');
    expect(new ItemCipher([before]).decrypt('account', 'msg_1', encrypted)).toBeUndefined();
  });

  it('rejects a key of another length', () => {
    expect(() => new ItemCipher([randomBytes(32), randomBytes(16)])).toThrow('32 bytes');
    expect(() => new ItemCipher([])).toThrow('32 bytes');
  });

  it('reveals nothing of the text', () => {
    expect(Buffer.from(cipher.encrypt('account', 'msg_1', 'a secret'), 'base64').toString('latin1')).not.toContain(
      'secret',
    );
  });
});
