import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, decodeVector, encodeBase64 } from './vector.ts';

describe('vectors as base64', () => {
  it('are little-endian 32-bit floats', () => {
    expect(encodeBase64([1, -2.5])).toBe('AACAPwAAIMA=');
    expect(decodeBase64('AACAPwAAIMA=')).toEqual([1, -2.5]);
    expect(decodeBase64('AACAPw')).toEqual([1]);
  });

  it('come back unchanged', () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
    fc.assert(
      fc.property(fc.array(float, { minLength: 1 }), (vector) => {
        expect(decodeBase64(encodeBase64(vector))).toEqual(vector);
      }),
    );
  });

  it.each(['', 'AACA', 'no base64 at all!', 'AADAfw=='])('are not what %j is', (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });
});

describe('readVector', () => {
  it.each([[[]], [[1, null]], [['1']], [{}], [null], [7], ['?']])('is undefined for %j', (value) => {
    expect(decodeVector(value)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const vector = decodeVector(value);
        expect(vector === undefined || vector.every((element) => typeof element === 'number')).toBe(true);
      }),
    );
  });
});
