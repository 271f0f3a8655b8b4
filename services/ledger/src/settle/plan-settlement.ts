import { minBigInt } from '@tollgate/common/money';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { PairMap } from '../store/batch.ts';
import { MAX_CLOCK_SKEW_MS, MAX_START_SKEW_MS } from '../store/time.ts';
import type { SettlementRecord } from './settlement-record.ts';

/** The state of the ledger, read under the locks of the batch's accounts. */
export interface LedgerState {
  /** The database's clock, Unix milliseconds. */
  nowMs: bigint;
  /** Accounts that exist. */
  accounts: ReadonlySet<string>;
  /** Remaining credit of leases, nano-dollars, by account and session. Absent: there is no such lease. */
  remaining: PairMap<bigint>;
  /** Content hashes of charges that are posted already, by account and request. */
  posted: PairMap<string>;
}

/** A charge to post. */
export interface Posting {
  record: SettlementRecord;
  /** What the customer pays; the rest of the cost is the operator's loss. */
  chargedNanos: bigint;
}

/** Reasons for quarantine, as labels of metrics. */
export const QUARANTINE_CAUSES = [
  'malformed',
  'out_of_time',
  'unknown_account',
  'other_content',
  'refused_by_database',
] as const;
export type QuarantineCause = (typeof QUARANTINE_CAUSES)[number];

/** A record to quarantine. */
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
 * Decides each record of a batch. A charge is paid out of its lease, up to its hold and up to the lease's remaining credit;
 * nothing else of the account changes.
 */
export function planSettlement(
  records: readonly SettlementRecord[],
  state: LedgerState,
  maxAgeMs: number,
): SettlementPlan {
  const plan: SettlementPlan = { outcomes: [], postings: [], quarantined: [] };
  const remaining = new PairMap<bigint>();
  const taken = new PairMap<string>();
  for (const record of records) {
    const problem = problemOf(record, state, maxAgeMs);
    if (problem !== undefined) {
      quarantine(plan, record, ...problem);
      continue;
    }
    const { charge } = record;
    const { accountId, requestId, sessionId } = charge;
    const known = taken.get(accountId, requestId) ?? state.posted.get(accountId, requestId);
    if (known !== undefined) {
      if (known === record.contentHash) plan.outcomes.push(SettleOutcome.DUPLICATE);
      else quarantine(plan, record, 'other_content', 'request_id was settled with different content');
      continue;
    }
    taken.set(accountId, requestId, record.contentHash);
    const payable = minBigInt(charge.costNanos, charge.holdNanos);
    const credit = remaining.get(accountId, sessionId) ?? state.remaining.get(accountId, sessionId) ?? 0n;
    const chargedNanos = minBigInt(payable, credit);
    remaining.set(accountId, sessionId, credit - chargedNanos);
    plan.postings.push({ record, chargedNanos });
    plan.outcomes.push(chargedNanos === payable ? SettleOutcome.POSTED : SettleOutcome.LOSS);
  }
  return plan;
}

function quarantine(plan: SettlementPlan, record: SettlementRecord, cause: QuarantineCause, reason: string): void {
  plan.quarantined.push({ record, cause, reason });
  plan.outcomes.push(SettleOutcome.QUARANTINED);
}

/** Why the times of a record are out of bounds; undefined when they are not. */
function timeProblem(record: SettlementRecord, nowMs: number, maxAgeMs: number): string | undefined {
  if (record.requestMs < nowMs - maxAgeMs) return 'request_id is too old';
  if (record.requestMs > nowMs + MAX_CLOCK_SKEW_MS) return 'request_id is in the future';
  return startProblem(record);
}

/** Why the start of a record contradicts its id; undefined when it does not. */
export function startProblem(record: SettlementRecord): string | undefined {
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
  return state.accounts.has(record.charge.accountId) ? undefined : ['unknown_account', 'the account is unknown'];
}
