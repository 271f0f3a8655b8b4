import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unwrapReasoning, wrapReasoning } from './wrapped-reasoning.ts';

it('unwraps its own values, for their protocol', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.option(fc.string(), { nil: undefined }), (text, item) => {
      const signed = { kind: 'gemini', text, ...(item === undefined ? {} : { item }) };
      expect(unwrapReasoning('gemini', wrapReasoning(signed))).toEqual(signed);
      expect(unwrapReasoning('anthropic', wrapReasoning(signed))).toBeUndefined();
    }),
  );
});

it('unwraps nothing else', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(unwrapReasoning('gemini', value)).toBeUndefined();
    }),
  );
  const value = wrapReasoning({ kind: 'gemini', text: 'abc' });
  const changed = Buffer.from(value, 'base64').toString('utf8').replace('abc', 'abd');
  expect(unwrapReasoning('gemini', Buffer.from(changed).toString('base64'))).toBeUndefined();
});
