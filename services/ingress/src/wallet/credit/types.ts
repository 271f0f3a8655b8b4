import type { Clock } from '@tollgate/common/clock';
import type { LimitGrant, SpendingCaps } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { Charge, LedgerServiceClient } from '@tollgate/proto/ledger';
import type { CapStatus, CeilingStatus } from '../../shared/limits/ceilings.ts';
import type { LimitedSession } from '../../shared/request/request-context.ts';

/** What a finished request cost; the hold adds the rest of the Charge, and under which caps of its nodes it was made. */
export type ChargeRecord = Omit<Charge, 'sessionId' | 'holdNanos' | 'chargedNanos' | 'settledAtMs' | 'caps'>;

/** A node with spending caps: a key, or what it belongs to. */
export interface CappedNode {
  nodeId: string;
  caps: SpendingCaps;
  /** Higher limits in windows. */
  grants: readonly LimitGrant[];
  /** Increases with every change of caps or grants. */
  revision: bigint;
}

/** The nodes with spending caps that a request passes, as read for it. */
export interface CappedPath {
  /** Below the account, root first. */
  nodes: readonly CappedNode[];
  /** Below all of them. Of several limits of a session, the one of the latest revision counts. */
  session?: Pick<LimitedSession, 'nodeId' | 'limitNanos' | 'revision'> | undefined;
  /** When the request started, which decides the day, week and month it counts in; Unix milliseconds. */
  startedAtMs: number;
}

export interface HoldRequest {
  accountId: string;
  /** Maximum cost of the request, in nano-dollars. */
  maxNanos: bigint;
  /** Its cost with the output limit at its floor; equals `maxNanos` where the gateway may not lower the limit. */
  minNanos: bigint;
  /** Where nodes of its path have caps: the hold counts against each of them as well. */
  capped?: CappedPath | undefined;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** `clock`: this process's clock differs too much from the clock of the ledger's database. */
export type UnavailableReason = 'ledger' | 'journal' | 'session' | 'clock';

export type HoldResult<Held = Hold> =
  /**
   * `hold.nanos` is between `minNanos` and `maxNanos`, and below `maxNanos` only if the total balance or the rest of a
   * cap is smaller.
   */
  | { kind: 'held'; hold: Held }
  /** Less than `minNanos` is left of the limit: of the total balance, or of a cap. */
  | { kind: 'insufficient'; limit: CeilingStatus }
  /**
   * What is left of the limit would suffice, but open requests of the account (below the node) hold it, and none of it was
   * released in time. Without a limit: too many requests wait.
   */
  | { kind: 'busy'; retryAfterMs: number; limit: CeilingStatus | undefined }
  /** The account owes money. */
  | { kind: 'suspended' }
  /** No hold can be made now, whatever the balance. */
  | { kind: 'unavailable'; reason: UnavailableReason }
  | { kind: 'aborted' };

export interface CaptureOptions {
  /** Waits at most this long after the write for the ledger's acknowledgement. Default: `settleBeforeEndMs`. */
  settledWithinMs?: number;
}

/** Credit held for one open request. Ends with exactly one `capture`, or with `release`. */
export interface Hold {
  readonly nanos: bigint;
  readonly sessionId: string;
  /**
   * The cap with the smallest free share; undefined without caps.
   *
   * @param counts whether a node's caps are looked at
   */
  nearestCap(counts: (nodeId: string) => boolean): CapStatus | undefined;
  /**
   * Charges the hold: appends the charge to the journal and resolves once it is written (not fsynced). Credit that the
   * charge did not use is free at once. A failed write is logged; the charge is then settled from memory.
   *
   * @throws Error when the hold has already ended; rejects when the record cannot be encoded, which is logged and ends
   *   the hold
   */
  capture(record: ChargeRecord, options?: CaptureOptions): Promise<void>;
  /** Ends the hold without a charge. Does nothing when it has already ended. */
  release(): void;
}

/** Limits and timings of the wallet; the defaults suit production. */
export interface CreditLimits {
  /** How long a request waits for credit held by other requests. */
  waitMs: number;
  /** Maximum number of waiting requests per account. */
  waitersPerAccount: number;
  /** Maximum number of waiting requests of all accounts. */
  waiters: number;
  /** The wait that `busy` suggests to the client. */
  retryAfterMs: number;
  /** First and longest delay before credit is requested again after a refusal. */
  acquireRetryMinMs: number;
  acquireRetryMaxMs: number;
  /** Credit of an account without a new hold for this long is returned. */
  idleReturnMs: number;
  /** Maximum number of unacknowledged records and open requests together. */
  journalMaxRecords: number;
  /** How long acknowledged records are kept for a failover of the database. */
  journalKeepMs: number;
  /** How long a charge waits for the ledger's acknowledgement by default; 0: it does not wait. */
  settleBeforeEndMs: number;
}

export const DEFAULT_CREDIT_LIMITS: CreditLimits = {
  waitMs: 2_000,
  waitersPerAccount: 1_000,
  waiters: 10_000,
  retryAfterMs: 1_000,
  acquireRetryMinMs: 25,
  acquireRetryMaxMs: 200,
  idleReturnMs: 5_000,
  journalMaxRecords: 100_000,
  journalKeepMs: 15 * 60_000,
  settleBeforeEndMs: 0,
};

export interface WalletOptions {
  ledger: LedgerServiceClient;
  /** Folder of the journal; not shared with another process. */
  journalDir: string;
  /** Maximum disk space of the journal. */
  journalMaxBytes: number;
  /** Sent to the ledger, for its logs. */
  ingressName: string;
  logger: Logger;
  clock?: Clock;
  limits?: Partial<CreditLimits>;
}

/** Figures for metrics: counts, unless the name has another unit. */
export interface CreditStats {
  sessionId: string;
  journalRecords: number;
  /** Journal segments that are not read yet; their records are not counted. */
  journalUnread: number;
  journalBytes: number;
  /** Copies of damaged segments in the journal's folder. */
  journalDamaged: number;
  /** Share of the journal that unacknowledged records take up, 0 to 1; at 1 no hold is made. */
  journalFilled: number;
  openHolds: number;
  leases: number;
  /** Caps of keys, by period. The session has leased a part of each. */
  caps: number;
  waiting: number;
  /** Charges that the ledger has not acknowledged. */
  unsettled: number;
  /** Unsettled charges that could not be written to the journal: they are lost if the process ends. */
  unwritten: number;
  posted: number;
  duplicate: number;
  loss: number;
  quarantined: number;
  /** How far this clock is ahead of the database's (negative: behind); 0 while the round trip may explain it. */
  clockAheadMs: number;
}
