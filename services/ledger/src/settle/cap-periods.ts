import { CapPeriod } from '@tollgate/proto/ledger';
import { DAY_MS, monthStart } from '../request-time.ts';

/** Labels of the SQL type ledger.cap_period. */
export const CAP_PERIODS = ['day', 'month', 'total'] as const;
export type CapPeriodLabel = (typeof CAP_PERIODS)[number];

/** The message's name of a period. */
export const CAP_PERIOD_OF_LABEL: Readonly<Record<CapPeriodLabel, CapPeriod>> = {
  day: CapPeriod.DAY,
  month: CapPeriod.MONTH,
  total: CapPeriod.TOTAL,
};

/** Begin of the period (UTC) that a request started in, Unix milliseconds; 0 for the whole life of the key. */
export function periodStart(period: CapPeriodLabel, startedAtMs: number): number {
  switch (period) {
    case 'day':
      return startedAtMs - (startedAtMs % DAY_MS);
    case 'month':
      return monthStart(startedAtMs);
    case 'total':
      return 0;
    default:
      return period satisfies never;
  }
}

/** The first millisecond after a period; beyond all times for the whole life of the key. */
export function periodEnd(period: CapPeriodLabel, startMs: number): number {
  switch (period) {
    case 'day':
      return startMs + DAY_MS;
    case 'month':
      return monthStart(startMs, 1);
    case 'total':
      return Number.MAX_SAFE_INTEGER;
    default:
      return period satisfies never;
  }
}
