import { describe, expect, it } from 'vitest';
import { countSpans } from './count-spans.ts';

/** A length-delimited field. */
function field(number: number, content: number[]): number[] {
  const length = content.length < 128 ? [content.length] : [(content.length & 0x7f) | 0x80, content.length >>> 7];
  return [(number << 3) | 2, ...length, ...content];
}

const SPAN = field(2, field(1, [1, 2, 3, 4]));
const scope = (spans: number) =>
  field(2, [...field(1, [0x0a, 0]), ...Array.from({ length: spans }, () => SPAN).flat()]);

describe('countSpans', () => {
  it('counts the spans of all scopes of all resources, and nothing else', () => {
    const resource = field(1, field(1, [9, 9]));
    const first = field(1, [...resource, ...scope(2), ...scope(30)]);
    const second = field(1, [...resource, ...scope(1), ...field(3, [0x61])]);
    expect(countSpans(Uint8Array.from([...first, ...second]))).toBe(33);
  });

  it('counts none in an empty export', () => {
    expect(countSpans(new Uint8Array())).toBe(0);
  });

  it('skips numbers and fixed fields', () => {
    const fixed = [0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x2d, 1, 2, 3, 4, 0x30, 0xff, 0x01];
    expect(countSpans(Uint8Array.from([...fixed, ...field(1, [...fixed, ...scope(3)])]))).toBe(3);
  });

  it('rejects a truncated message', () => {
    const full = field(1, scope(1));
    expect(() => countSpans(Uint8Array.from(full.slice(0, -1)))).toThrow(RangeError);
    expect(() => countSpans(Uint8Array.from([0x80]))).toThrow(RangeError);
  });
});
