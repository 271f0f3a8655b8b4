import { idFloor, newId, timeOfId } from '@tollgate/common/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { monthsNeeded } from './partitions.ts';
import { DAY_MS, monthStart } from './time.ts';

const time = fc.integer({ min: 0, max: Date.UTC(2200, 0) });

describe('idFloor', () => {
  it('carries its time and is not above any id of that time', () => {
    fc.assert(fc.property(time, (ms) => timeOfId(idFloor(ms)) === ms));
    const id = newId();
    expect(idFloor(timeOfId(id)) <= id && id < idFloor(timeOfId(id) + 1)).toBe(true);
  });

  it('sorts as times do', () => {
    fc.assert(fc.property(time, time, (a, b) => idFloor(a) < idFloor(b) === a < b));
  });
});

describe('monthsNeeded', () => {
  it('covers the oldest accepted charge and two months ahead, without a gap', () => {
    fc.assert(
      fc.property(time, (now) => {
        const months = monthsNeeded(now, 31 * DAY_MS);
        expect(months[0]).toBeLessThanOrEqual(Math.max(now - 31 * DAY_MS, monthStart(now - 31 * DAY_MS)));
        expect(months.at(-1)).toBeGreaterThanOrEqual(monthStart(now, 2));
        months.slice(1).forEach((month, index) => {
          expect(month).toBe(monthStart(months[index] ?? 0, 1));
        });
      }),
    );
  });

  it('knows the ends of years', () => {
    const months = monthsNeeded(Date.UTC(2026, 11, 31, 23, 59), 31 * DAY_MS);
    expect(months.map((month) => new Date(month).toISOString().slice(0, 7))).toEqual([
      '2026-11',
      '2026-12',
      '2027-01',
      '2027-02',
      '2027-03',
    ]);
  });
});
