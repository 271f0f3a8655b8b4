import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextBatchRows } from './batch-size.ts';

const bounds = { minRows: 500, maxRows: 8_000, targetMs: 100 };

/** The size after so many full transactions, each of which takes what `cost` says of its rows. */
function settled(start: number, commits: number, cost: (rows: number) => number): number {
  let rows = start;
  for (let commit = 0; commit < commits; commit++) rows = nextBatchRows(rows, rows, cost(rows), bounds);
  return rows;
}

describe('the size of a transaction', () => {
  it('stays as it is when there is not enough to fill it, however fast it was', () => {
    expect(nextBatchRows(1_000, 20, 1, bounds)).toBe(1_000);
  });

  it('grows while full ones end well within the target', () => {
    expect(nextBatchRows(1_000, 1_000, 30, bounds)).toBe(1_500);
    expect(settled(500, 20, () => 10)).toBe(bounds.maxRows);
  });

  it('does not grow beyond what it would take too long for', () => {
    expect(nextBatchRows(1_000, 1_000, 90, bounds)).toBe(1_000);
  });

  it('shrinks when one takes longer, from what it held', () => {
    expect(nextBatchRows(4_000, 4_000, 101, bounds)).toBe(2_000);
    expect(nextBatchRows(4_000, 1_400, 500, bounds)).toBe(700);
    expect(settled(8_000, 20, () => 1_000)).toBe(bounds.minRows);
  });

  it('converges on a size whose commit takes at most the target, and not much less', () => {
    const perRow = fc.double({ min: 0.02, max: 0.15, noNaN: true });
    const fixed = fc.double({ min: 0, max: 20, noNaN: true });
    fc.assert(
      fc.property(perRow, fixed, fc.integer({ min: 500, max: 8_000 }), (row, base, start) => {
        const cost = (rows: number) => base + row * rows;
        const rows = settled(start, 30, cost);
        expect(cost(rows) <= bounds.targetMs || rows === bounds.minRows).toBe(true);
        expect(cost(rows * 2.5) > bounds.targetMs || rows === bounds.maxRows).toBe(true);
      }),
    );
  });

  it('stays within its bounds', () => {
    const size = fc.integer({ min: 500, max: 8_000 });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 20_000 }), fc.nat({ max: 10_000 }), (present, rows, tookMs) => {
        const next = nextBatchRows(present, rows, tookMs, bounds);
        expect(next >= bounds.minRows && next <= bounds.maxRows && Number.isInteger(next)).toBe(true);
      }),
    );
  });
});
