import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isForeignOpaque, type Opaque, unwrapOpaque, wrapOpaque } from './opaque.ts';
import { PROTOCOL_NAMES } from './protocol-name.ts';

const opaques: fc.Arbitrary<Opaque> = fc.record(
  {
    origin: fc.constantFrom(...PROTOCOL_NAMES),
    data: fc.string({ unit: 'grapheme' }),
    ofPrevious: fc.constant(true as const),
  },
  { requiredKeys: ['origin', 'data'] },
);

test('a value wrapped for any protocol unwraps unchanged', () => {
  fc.assert(
    fc.property(opaques, fc.constantFrom(...PROTOCOL_NAMES), (opaque, home) => {
      fc.pre(!opaque.data.startsWith('tg1.'));
      expect(unwrapOpaque(wrapOpaque(opaque, home), home)).toEqual(opaque);
    }),
  );
});

test('a provider gets its own values unchanged', () => {
  expect(wrapOpaque({ origin: 'gemini', data: 'CiQB+/=' }, 'gemini')).toBe('CiQB+/=');
  expect(isForeignOpaque('CiQB+/=', 'gemini')).toBe(false);
  expect(isForeignOpaque(wrapOpaque({ origin: 'gemini', data: 'CiQB' }, 'openai-responses'), 'openai-responses')).toBe(
    true,
  );
});

test('a text that only looks wrapped counts as the home protocol’s own', () => {
  expect(unwrapOpaque('tg1.nobody.abc', 'gemini')).toEqual({ origin: 'gemini', data: 'tg1.nobody.abc' });
});
