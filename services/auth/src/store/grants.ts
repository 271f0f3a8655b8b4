import { type CapPeriodLabel, periodEnd, periodStart } from '@tollgate/common/cap-periods';
import { type GrantPeriod, type LimitGrant, SESSION_REVISION } from '@tollgate/common/keys/index';
import { type AppliedCaps, CapSetter, type LimitGrant as LimitGrantMessage } from '@tollgate/proto/auth';
import type { CapColumns } from './columns.ts';

/** A grant as a JSON column keeps it; numbers that JSON may round are texts. */
interface GrantJson {
  period: GrantPeriod;
  period_start_ms: number;
  session_node_id: string;
  limit_nanos: string;
  revision: string;
  /** Until when ingresses have to know it, Unix milliseconds. */
  until_ms: number;
}

/** The column of grants; null: none. */
export type GrantsJson = readonly GrantJson[];

/** Maximum sessions of a key with a grant that ingresses get. */
const MAX_SESSIONS = 20;
/** A session begins afresh a week after the day of its last request. What the ledger has once seen, it keeps as long. */
const SESSION_MS = 8 * 86_400_000;

/** The column of each cap. */
export const CAP_COLUMN = {
  day: 'day_cap_nanos',
  week: 'week_cap_nanos',
  month: 'month_cap_nanos',
  total: 'total_cap_nanos',
} as const satisfies Record<CapPeriodLabel, keyof CapColumns>;

/** The grants that apply now or may still apply. */
function current(grants: GrantsJson | null, nowMs: number): GrantsJson {
  return (grants ?? []).filter((grant) => grant.until_ms > nowMs);
}

/** The grants of a column. */
export function grantsOfJson(grants: GrantsJson | null, nowMs: number): LimitGrant[] {
  return current(grants, nowMs).map((grant) => ({
    period: grant.period,
    periodStartMs: grant.period_start_ms,
    sessionNodeId: grant.session_node_id,
    limitNanos: BigInt(grant.limit_nanos),
    revision: BigInt(grant.revision),
  }));
}

/** The wire form of grants. */
export function grantMessages(grants: readonly LimitGrant[]): LimitGrantMessage[] {
  return grants.map((grant) => ({ ...grant, periodStartMs: BigInt(grant.periodStartMs) }));
}

/** The caps in force with those that are granted for the present windows. */
export function withGrants(caps: AppliedCaps, grants: GrantsJson | null, nowMs: number): AppliedCaps {
  const known = current(grants, nowMs);
  if (known.length === 0) return caps;
  const raised = { ...caps };
  for (const { period, period_start_ms, limit_nanos } of known) {
    if (period === 'session' || period_start_ms !== periodStart(period, nowMs)) continue;
    const [cap, limitNanos] = [raised[period], BigInt(limit_nanos)];
    if (cap !== undefined && cap.limitNanos < limitNanos) raised[period] = { limitNanos, setBy: CapSetter.GRANT };
  }
  return raised;
}

/** Adds a limit for the present window, instead of an earlier one. */
export function withWindowGrant(
  grants: GrantsJson | null,
  { period, limitNanos, nowMs }: { period: Exclude<GrantPeriod, 'session'>; limitNanos: bigint; nowMs: number },
): { grants: GrantsJson; untilMs: number } {
  const startMs = periodStart(period, nowMs);
  const untilMs = periodEnd(period, startMs);
  if (untilMs === undefined) throw new Error('a window without an end');
  const grant: GrantJson = {
    period,
    period_start_ms: startMs,
    session_node_id: '',
    limit_nanos: String(limitNanos),
    revision: '0',
    until_ms: untilMs,
  };
  return { grants: [...current(grants, nowMs).filter((each) => each.period !== period), grant], untilMs };
}

/** Adds a limit for a session, later than all before. */
export function withSessionGrant(
  grants: GrantsJson | null,
  { sessionNodeId, limitNanos, nowMs }: { sessionNodeId: string; limitNanos: bigint; nowMs: number },
): GrantsJson {
  const known = current(grants, nowMs);
  const latest = known.reduce((most, { revision }) => (BigInt(revision) > most ? BigInt(revision) : most), 0n);
  const byClock = SESSION_REVISION + BigInt(nowMs);
  const grant: GrantJson = {
    period: 'session',
    period_start_ms: 0,
    session_node_id: sessionNodeId,
    limit_nanos: String(limitNanos),
    revision: String(latest >= byClock ? latest + 1n : byClock),
    until_ms: nowMs + SESSION_MS,
  };
  const others = known.filter((each) => each.session_node_id !== sessionNodeId);
  const sessions = others.filter(({ period }) => period === 'session');
  return [...others.filter(({ period }) => period !== 'session'), ...sessions.slice(1 - MAX_SESSIONS), grant];
}

/** The grants that stay when caps are set: a cap that gets another value loses its own. */
export function grantsAfter(
  { grants, ...known }: CapColumns & { grants: GrantsJson | null },
  given: Partial<CapColumns>,
): { grants?: GrantsJson | null } {
  if (grants === null) return {};
  const left = grants.filter(({ period }) => {
    if (period === 'session') return true;
    const value = given[CAP_COLUMN[period]];
    return value === undefined || value === known[CAP_COLUMN[period]];
  });
  return left.length === grants.length ? {} : { grants: left.length === 0 ? null : left };
}
