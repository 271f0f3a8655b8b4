import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlainText } from './plain-text.ts';

test('finds the first byte that does not stand for itself, wherever it is and whatever is around it', () => {
  const plain = fc.integer({ min: 0x20, max: 0xff }).filter((byte) => byte !== 0x22 && byte !== 0x5c);
  const special = fc.oneof(fc.constantFrom(0x22, 0x5c), fc.integer({ min: 0, max: 0x1f }));
  const lengths = fc.oneof(fc.nat({ max: 40 }), fc.integer({ min: 2_030, max: 2_100 }));
  fc.assert(
    fc.property(
      lengths,
      plain,
      special,
      fc.nat({ max: 9 }),
      fc.uint8Array({ maxLength: 9 }),
      (length, fill, byte, start, after) => {
        const bytes = Buffer.concat([Buffer.alloc(start + length, fill), Buffer.from([byte]), after]);
        expect(new PlainText(bytes).end(start)).toBe(start + length);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('ends with the text', () => {
  for (const length of [0, 5, 2_047, 2_048, 2_049, 2_051, 5_000]) {
    expect(new PlainText(Buffer.alloc(length, 0xc3)).end(0)).toBe(length);
  }
});
