import type { SpendingCaps } from '@tollgate/proto/auth';

/** The columns of a key's caps, nano-dollars; null: no cap. */
export interface CapColumns {
  day_cap_nanos: bigint | null;
  month_cap_nanos: bigint | null;
  total_cap_nanos: bigint | null;
}

/** The wire form of a key's caps; undefined for a key without any. */
export function spendingCaps(row: CapColumns): SpendingCaps | undefined {
  const { day_cap_nanos: day, month_cap_nanos: month, total_cap_nanos: total } = row;
  if (day === null && month === null && total === null) return undefined;
  return { dayNanos: day ?? undefined, monthNanos: month ?? undefined, totalNanos: total ?? undefined };
}

/** The columns of caps as they came over the wire. */
export function capColumns(caps: SpendingCaps | undefined): CapColumns {
  return {
    day_cap_nanos: caps?.dayNanos ?? null,
    month_cap_nanos: caps?.monthNanos ?? null,
    total_cap_nanos: caps?.totalNanos ?? null,
  };
}
