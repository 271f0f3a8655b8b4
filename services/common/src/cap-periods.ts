import { CapPeriod } from '@tollgate/proto/ledger';

/** Periods of spending caps; also the labels of the ledger's SQL type. A request holds its caps in this order. */
export const CAP_PERIODS = ['day', 'month', 'total'] as const;
export type CapPeriodLabel = (typeof CAP_PERIODS)[number];

/** The enum value of a period. */
export const CAP_PERIOD_OF_LABEL: Readonly<Record<CapPeriodLabel, CapPeriod>> = {
  day: CapPeriod.DAY,
  month: CapPeriod.MONTH,
  total: CapPeriod.TOTAL,
};

const DAY_MS = 86_400_000;

/** Start of the period (UTC) in which a request started, Unix milliseconds; 0 for `total`. */
export function periodStart(period: CapPeriodLabel, startedAtMs: number): number {
  switch (period) {
    case 'day':
      return startedAtMs - (startedAtMs % DAY_MS);
    case 'month':
      return monthStart(startedAtMs, 0);
    case 'total':
      return 0;
    default:
      return period satisfies never;
  }
}

/** The first millisecond after a period; undefined for `total`. */
export function periodEnd(period: CapPeriodLabel, startMs: number): number | undefined {
  switch (period) {
    case 'day':
      return startMs + DAY_MS;
    case 'month':
      return monthStart(startMs, 1);
    case 'total':
      return undefined;
    default:
      return period satisfies never;
  }
}

function monthStart(unixMs: number, offset: number): number {
  const date = new Date(unixMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
}
