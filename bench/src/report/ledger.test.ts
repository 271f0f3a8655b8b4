import { expect, it } from 'vitest';
import type { LedgerMeasurements, StoreRound } from '../ledger/measure.ts';
import { renderLedger, summariseLedger } from './ledger.ts';

const round = (perSecond: number): StoreRound => ({
  perSecond,
  rowsPerCommit: 2_000,
  commitMsP50: 10,
  commitMsP99: 20,
  cpuPerCharge: { ledger: 20, postgres: 30 },
});

function measured(rounds: [settled: number, copied: number, inserted: number][]): LedgerMeasurements {
  return {
    durability: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
    accounts: 200,
    sessions: 4,
    charges: 1_000,
    rounds: rounds.map(([settled, copied, inserted]) => ({
      ledger: round(settled),
      lots: round(settled * 0.9),
      paths: round(settled * 0.6),
      plain: { copy: round(copied), insert: round(inserted) },
    })),
  };
}

it('compares the ledger with plain inserts by round', () => {
  const rounds: [number, number, number][] = [
    [30, 100, 60],
    [10, 40, 100],
    [45, 90, 90],
  ];
  const results = summariseLedger(measured(rounds));
  expect(results.ratio_to_insert).toEqual({ median: 0.5, min: 0.1, max: 0.5 });
  expect(results.ratio_to_copy).toEqual({ median: 0.3, min: 0.25, max: 0.5 });
  expect(results.ratio_with_lots.median).toBeCloseTo(0.9);
  expect(results.ratio_with_paths.median).toBeCloseTo(0.6);
  expect(results.within_budget).toBe(true);
  expect(results.settled.per_second.median).toBe(30);
  expect(results.settled.cpu_per_charge).toEqual({ ledger: 20, postgres: 30 });
});

it('reports a ledger below its budget', () => {
  const results = summariseLedger(measured([[39, 10, 100]]));
  expect(results.within_budget).toBe(false);
  expect(renderLedger(results)).toMatch(/0\.39 .*BELOW$/);
  expect(renderLedger(summariseLedger(measured([[40, 10, 100]])))).toMatch(/0\.40 .*within$/);
});
