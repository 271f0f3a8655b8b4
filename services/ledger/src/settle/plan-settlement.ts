import { SettleOutcome } from '@tollgate/proto/ledger';
import { minBigInt } from '../store/min-big-int.ts';
import { PairMap } from '../store/pair-map.ts';
import { MAX_CLOCK_SKEW_MS, MAX_START_SKEW_MS } from '../store/time.ts';
import type { SettlementRecord } from './settlement-record.ts';

/** What the ledger knows, read under the locks of the batch's accounts. */
export interface LedgerState {
  /** The database's clock, Unix milliseconds. */
  nowMs: bigint;
  /** Accounts that exist. */
  accounts: ReadonlySet<string>;
  /** What leases still cover, nano-dollars, by account and session. Absent: there is no such lease. */
  covers: PairMap<bigint>;
  /** Content hashes of charges that are posted already, by account and request. */
  posted: PairMap<string>;
}

/** A charge to be posted. */
export interface Posting {
  record: SettlementRecord;
  /** What the customer pays; the rest of the cost is the operator's loss. */
  chargedNanos: bigint;
}

/** Why records are kept aside, in few words, for metrics. */
export const QUARANTINE_CAUSES = [
  'malformed',
  'out_of_time',
  'unknown_account',
  'other_content',
  'refused_by_database',
] as const;
export type QuarantineCause = (typeof QUARANTINE_CAUSES)[number];

/** A record to be kept aside. */
export interface QuarantinedRecord {
  record: SettlementRecord;
  cause: QuarantineCause;
  reason: string;
}

export interface SettlementPlan {
  /** In the order of the records. */
  outcomes: SettleOutcome[];
  postings: Posting[];
  quarantined: QuarantinedRecord[];
}

/**
 * Decides each record of a batch by itself. A charge is paid out of its lease, up to its hold and up to what the lease
 * still covers; nothing else of the account is touched.
 */
export function planSettlement(
  records: readonly SettlementRecord[],
  state: LedgerState,
  maxAgeMs: number,
): SettlementPlan {
  const plan: SettlementPlan = { outcomes: [], postings: [], quarantined: [] };
  const covers = new PairMap<bigint>();
  const taken = new PairMap<string>();
  for (const record of records) {
    const fault = problemOf(record, state, maxAgeMs);
    if (fault !== undefined) {
      setAside(plan, record, ...fault);
      continue;
    }
    const { charge } = record;
    const { accountId, requestId, sessionId } = charge;
    const known = taken.get(accountId, requestId) ?? state.posted.get(accountId, requestId);
    if (known !== undefined) {
      if (known === record.contentHash) plan.outcomes.push(SettleOutcome.DUPLICATE);
      else setAside(plan, record, 'other_content', 'request_id was settled with another content');
      continue;
    }
    taken.set(accountId, requestId, record.contentHash);
    const payable = minBigInt(charge.costNanos, charge.holdNanos);
    const cover = covers.get(accountId, sessionId) ?? state.covers.get(accountId, sessionId) ?? 0n;
    const chargedNanos = minBigInt(payable, cover);
    covers.set(accountId, sessionId, cover - chargedNanos);
    plan.postings.push({ record, chargedNanos });
    plan.outcomes.push(chargedNanos === payable ? SettleOutcome.POSTED : SettleOutcome.LOSS);
  }
  return plan;
}

function setAside(plan: SettlementPlan, record: SettlementRecord, cause: QuarantineCause, reason: string): void {
  plan.quarantined.push({ record, cause, reason });
  plan.outcomes.push(SettleOutcome.QUARANTINED);
}

/** Why a record's times put it beyond what is taken; undefined when they do not. */
export function timeProblem(record: SettlementRecord, nowMs: number, maxAgeMs: number): string | undefined {
  if (record.requestMs < nowMs - maxAgeMs) return 'request_id is too old';
  if (record.requestMs > nowMs + MAX_CLOCK_SKEW_MS) return 'request_id is in the future';
  const skew = Math.abs(Number(record.charge.startedAtMs) - record.requestMs);
  return skew > MAX_START_SKEW_MS ? 'started_at_ms is far from the time in request_id' : undefined;
}

function problemOf(
  record: SettlementRecord,
  state: LedgerState,
  maxAgeMs: number,
): [cause: QuarantineCause, reason: string] | undefined {
  if (record.problem !== undefined) return ['malformed', record.problem];
  const outOfTime = timeProblem(record, Number(state.nowMs), maxAgeMs);
  if (outOfTime !== undefined) return ['out_of_time', outOfTime];
  return state.accounts.has(record.charge.accountId) ? undefined : ['unknown_account', 'the account is not known'];
}
