import { KeyStatus, type RateLimits, type SpendingCaps } from '@tollgate/proto/auth';

/**
 * The next revision of a key, a node or an account. It grows and follows the clock, so that a database restored from a backup does
 * not repeat a revision that an ingress already knows.
 */
export const NEXT_REVISION = 'greatest(revision + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)';

/** The columns of the limits of a key, a node or an account; null: no limit. */
export interface LimitColumns {
  requests_per_minute: bigint | null;
  tokens_per_minute: bigint | null;
  open_requests: number | null;
}

/** The wire form of limits; undefined where there are none. */
export function rateLimits(row: LimitColumns): RateLimits | undefined {
  const { requests_per_minute: requests, tokens_per_minute: tokens, open_requests: open } = row;
  if (requests === null && tokens === null && open === null) return undefined;
  return {
    requestsPerMinute: requests ?? undefined,
    tokensPerMinute: tokens ?? undefined,
    openRequests: open ?? undefined,
  };
}

/** The columns of limits in a message. */
export function limitColumns(limits: RateLimits | undefined): LimitColumns {
  return {
    requests_per_minute: limits?.requestsPerMinute ?? null,
    tokens_per_minute: limits?.tokensPerMinute ?? null,
    open_requests: limits?.openRequests ?? null,
  };
}

/** The columns of the caps of a key or a node, nano-dollars; null: no cap. */
export interface CapColumns {
  day_cap_nanos: bigint | null;
  week_cap_nanos: bigint | null;
  month_cap_nanos: bigint | null;
  total_cap_nanos: bigint | null;
}

/** The names of caps in JSON. */
export const CAP_FIELDS = {
  day_cap_nanos: 'caps.day',
  week_cap_nanos: 'caps.week',
  month_cap_nanos: 'caps.month',
  total_cap_nanos: 'caps.total',
} as const satisfies Record<keyof CapColumns, string>;

/** The wire form of caps; undefined where there are none. */
export function spendingCaps(row: CapColumns): SpendingCaps | undefined {
  const { day_cap_nanos: day, week_cap_nanos: week, month_cap_nanos: month, total_cap_nanos: total } = row;
  if (day === null && week === null && month === null && total === null) return undefined;
  return {
    dayNanos: day ?? undefined,
    weekNanos: week ?? undefined,
    monthNanos: month ?? undefined,
    totalNanos: total ?? undefined,
  };
}

/** The columns of caps as they came over the wire. */
export function capColumns(caps: SpendingCaps | undefined): CapColumns {
  return {
    day_cap_nanos: caps?.dayNanos ?? null,
    week_cap_nanos: caps?.weekNanos ?? null,
    month_cap_nanos: caps?.monthNanos ?? null,
    total_cap_nanos: caps?.totalNanos ?? null,
  };
}

/** Caps as a JSON column keeps them: texts, which JSON does not round. Absent: no cap. */
export type CapsJson = Readonly<Partial<Record<keyof CapColumns, string>>>;

/** The JSON of caps as they came over the wire; null where there are none. */
export function capsJson(caps: SpendingCaps | undefined): CapsJson | null {
  const set = Object.entries(capColumns(caps)).filter(([, cap]) => cap !== null);
  return set.length === 0 ? null : Object.fromEntries(set.map(([name, cap]) => [name, String(cap)]));
}

/** The columns that a JSON column stands for. */
export function capsOfJson(caps: CapsJson | null): CapColumns {
  const cap = (text: string | undefined) => (text === undefined ? null : BigInt(text));
  return {
    day_cap_nanos: cap(caps?.day_cap_nanos),
    week_cap_nanos: cap(caps?.week_cap_nanos),
    month_cap_nanos: cap(caps?.month_cap_nanos),
    total_cap_nanos: cap(caps?.total_cap_nanos),
  };
}

/** The parameter of a JSON column with a list, which the driver would send as an array of SQL. */
export function jsonOf(value: readonly unknown[] | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** A time in Unix milliseconds; 0 for none. */
export function millisecondsOf(time: Date | null): bigint {
  return time === null ? 0n : BigInt(time.getTime());
}

/** The status of an API key or a management key. */
export function keyStatusOf(
  { deleted_at, expires_at }: { deleted_at: Date | null; expires_at: Date | null },
  nowMs: number,
): KeyStatus {
  if (deleted_at !== null) return KeyStatus.DELETED;
  return expires_at !== null && expires_at.getTime() <= nowMs ? KeyStatus.EXPIRED : KeyStatus.ACTIVE;
}

/** A time of a message; null for 0. */
export function timeOf(milliseconds: bigint): Date | null {
  return milliseconds === 0n ? null : new Date(Number(milliseconds));
}

/**
 * The condition that a column is this account, the statement's first parameter, or that it is NULL for operators. As text,
 * because IS NOT DISTINCT FROM uses no index.
 */
export function ofAccount(column: string, accountId: string | undefined): string {
  return accountId === undefined ? `(${column} IS NULL AND $1::uuid IS NULL)` : `${column} = $1`;
}
