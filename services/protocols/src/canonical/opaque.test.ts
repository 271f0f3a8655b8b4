import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isForeignOpaque, type Opaque, type OpaqueTarget, unwrapOpaque, wrapOpaque } from './opaque.ts';
import { PROTOCOL_NAMES } from './protocol-name.ts';

const targets: fc.Arbitrary<OpaqueTarget> = fc.oneof(
  fc.record({ call: fc.string({ unit: 'grapheme' }) }),
  fc.record({ text: fc.stringMatching(/^[A-Za-z0-9_-]{16}$/) }),
  fc.constant('previous' as const),
);

const opaques: fc.Arbitrary<Opaque> = fc.record(
  { origin: fc.constantFrom(...PROTOCOL_NAMES), data: fc.string({ unit: 'grapheme' }), of: targets },
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
  const wrapped = wrapOpaque({ origin: 'gemini', data: 'CiQB' }, 'openai-responses');
  expect(isForeignOpaque(wrapped, 'openai-responses')).toBe(true);
});

test('values of earlier versions are still read', () => {
  expect(unwrapOpaque('tg1.gemini.YWJj', 'openai-chat')).toEqual({ origin: 'gemini', data: 'abc' });
  expect(unwrapOpaque('tg1.gemini.p.YWJj', 'openai-chat')).toEqual({ origin: 'gemini', data: 'abc', of: 'previous' });
});

test('a text that only looks wrapped counts as the home protocol’s own', () => {
  expect(unwrapOpaque('tg1.nobody.abc', 'gemini')).toEqual({ origin: 'gemini', data: 'tg1.nobody.abc' });
});
