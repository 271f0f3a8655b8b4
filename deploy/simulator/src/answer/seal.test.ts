import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

it('opens what it sealed, for the protocol it was sealed for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.option(fc.string(), { nil: undefined }), (text, item) => {
      const sealed = { kind: 'gemini', text, ...(item === undefined ? {} : { item }) };
      expect(unseal('gemini', seal(sealed))).toEqual(sealed);
      expect(unseal('anthropic', seal(sealed))).toBeUndefined();
    }),
  );
});

it('opens nothing else', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(unseal('gemini', value)).toBeUndefined();
    }),
  );
  const value = seal({ kind: 'gemini', text: 'abc' });
  const changed = Buffer.from(value, 'base64').toString('utf8').replace('abc', 'abd');
  expect(unseal('gemini', Buffer.from(changed).toString('base64'))).toBeUndefined();
});
