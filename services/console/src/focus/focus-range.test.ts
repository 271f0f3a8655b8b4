import { ExportFocusRequest } from '@tollgate/proto/console/focus';
import { describe, expect, it } from 'vitest';
import { readFocusRange } from './focus-range.ts';

const ms = (text: string) => BigInt(Date.parse(text));
const read = (fields: { month?: string; start?: string; end?: string }) =>
  readFocusRange(
    ExportFocusRequest.fromPartial({
      ...(fields.month === undefined ? {} : { month: fields.month }),
      ...(fields.start === undefined ? {} : { startMs: ms(fields.start) }),
      ...(fields.end === undefined ? {} : { endMs: ms(fields.end) }),
    }),
  );

describe('a range of days', () => {
  it.each([
    ['2026-12', '2026-12-01', '2027-01-01'],
    ['2028-02', '2028-02-01', '2028-03-01'],
  ])('may be the month %s', (month, start, end) => {
    expect(read({ month })).toEqual({ startMs: ms(start), endMs: ms(end) });
  });

  it('may be from a day to another, a leap year apart', () => {
    expect(read({ start: '2028-01-01', end: '2029-01-01' })).toEqual({
      startMs: ms('2028-01-01'),
      endMs: ms('2029-01-01'),
    });
  });

  it.each([
    [{}, 'start'],
    [{ start: '2026-01-01' }, 'end'],
    [{ end: '2026-01-01' }, 'start'],
    [{ month: '2026-01', start: '2026-01-01' }, 'month'],
    [{ month: '2026-01', end: '2026-01-01' }, 'month'],
    [{ start: '2026-01-02', end: '2026-01-01' }, 'end'],
    [{ start: '2026-01-01', end: '2027-01-03' }, 'start'],
    [{ start: '2026-01-01T01:00:00Z', end: '2026-01-03' }, 'start'],
    [{ start: '2026-01-01', end: '2026-01-02T23:59:59.999Z' }, 'end'],
  ])('is not %j: the error names %s', (fields, field) => {
    expect(() => read(fields)).toThrow(expect.objectContaining({ code: 'invalid_request', field }));
  });
});
