import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CarriedThought,
  carryThoughts,
  type Signature,
  unwrapSignature,
  wrapSignature,
  wrapThoughts,
} from './carried-thoughts.ts';
import { isForeignOpaque, type Opaque, THOUGHTS_PREFIX } from './opaque.ts';
import type { OutputPart } from './part.ts';
import { PROTOCOL_NAMES } from './protocol-name.ts';

const opaques: fc.Arbitrary<Opaque> = fc.record({
  origin: fc.constantFrom(...PROTOCOL_NAMES),
  data: fc.base64String({ minLength: 4 }),
});
const thoughts: fc.Arbitrary<CarriedThought> = fc.record(
  {
    form: fc.constantFrom('full' as const, 'summary' as const),
    text: fc.string({ unit: 'binary', minLength: 1 }),
    texts: fc.nat({ max: 3 }),
    opaque: opaques,
  },
  { requiredKeys: ['form', 'text', 'texts'] },
);

test('a signature with reasoning unwraps unchanged, whatever field it was in', () => {
  const signatures: fc.Arbitrary<Signature> = fc.record(
    { opaque: opaques, thoughts: fc.array(thoughts, { minLength: 1, maxLength: 3 }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(signatures, fc.constantFrom(...PROTOCOL_NAMES), (signature, home) => {
      const text = wrapSignature(signature, home);
      expect(unwrapSignature(text ?? '', home)).toEqual(signature);
      if (signature.thoughts !== undefined) expect(isForeignOpaque(text ?? '', home)).toBe(true);
    }),
  );
});

test('reasoning without a signature has a value that reads as none', () => {
  expect(wrapThoughts([])).not.toBe('');
  expect(unwrapSignature(wrapThoughts([]), 'anthropic-messages')).toEqual({});
});

test.each([
  '',
  'no base64',
  'bnVsbA',
  Buffer.from('{"thoughts":{}}').toString('base64url'),
  Buffer.from('{"thoughts":[null,1,{"of":["nobody","x"]},{"text":3},{"of":["gemini",""]}],"of":"x"}').toString(
    'base64url',
  ),
])('what is malformed is dropped: %s', (content) => {
  expect(unwrapSignature(THOUGHTS_PREFIX + content, 'gemini')).toEqual({});
});

describe('the first call after reasoning carries it', () => {
  const call = (id: string): OutputPart => ({ type: 'tool-call', id, name: 'f', kind: 'function', input: '{}' });
  const thought = (text: string, opaque?: Opaque): OutputPart => ({
    type: 'reasoning',
    form: 'full',
    text,
    ...(opaque !== undefined && { opaque }),
  });
  const signed: Opaque = { origin: 'anthropic-messages', data: 'EqMC' };
  const parts = [thought('a', signed), { type: 'text', text: 'So' } as const, thought('b'), call('1'), call('2')];

  test('with the number of texts before it', () => {
    const carried = [
      { form: 'full', text: 'a', opaque: signed, texts: 0 },
      { form: 'full', text: 'b', texts: 1 },
    ];
    expect(carryThoughts(parts, 'signatures')).toEqual([
      ...parts.slice(0, 3),
      { ...call('1'), thoughts: carried },
      call('2'),
    ]);
  });

  test('without a signature only for clients that drop its text too', () => {
    const unsigned = [thought('a'), call('1')];
    expect(carryThoughts(unsigned, 'signatures')).toEqual(unsigned);
    expect(carryThoughts(unsigned, 'reasoning')[1]).toMatchObject({ thoughts: [{ text: 'a' }] });
  });
});
