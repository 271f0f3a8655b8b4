import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CODE_BYTES, codeOf, hashOfCode } from './code.ts';

const random = fc.uint8Array({ minLength: CODE_BYTES, maxLength: CODE_BYTES });

it('a code has five groups of five characters that nobody mistakes', () => {
  fc.assert(
    fc.property(random, (bytes) => {
      expect(codeOf(bytes)).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/);
    }),
    { seed: 1 },
  );
});

it('a code is the same however it is typed, and differs from any other', () => {
  fc.assert(
    fc.property(random, random, (bytes, others) => {
      const code = codeOf(bytes);
      const typed = ` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
      expect(hashOfCode(typed)).toEqual(hashOfCode(code));
      if (codeOf(others) !== code) expect(hashOfCode(codeOf(others))).not.toEqual(hashOfCode(code));
    }),
    { seed: 2 },
  );
});
