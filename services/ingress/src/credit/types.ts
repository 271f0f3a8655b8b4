import type { CapPeriodLabel } from '@tollgate/common/cap-periods';
import type { KeyCaps } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { Charge, LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Clock } from '../journal/clock.ts';

/** What a finished request cost; the hold fills in the rest of the Charge. */
export type ChargeRecord = Omit<Charge, 'sessionId' | 'holdNanos' | 'chargedNanos' | 'settledAtMs' | 'caps'>;

/** A key with spending caps, as one of its requests found it. */
export interface CappedKey {
  keyId: string;
  caps: KeyCaps;
  /** Grows with every change of the caps. */
  revision: bigint;
  /** When the request started, which decides the day and month it counts in; Unix milliseconds. */
  startedAtMs: number;
}

export interface HoldRequest {
  accountId: string;
  /** The most the request can cost, in nano-dollars. */
  maxNanos: bigint;
  /** What it costs with the output limit at its floor; equals `maxNanos` where the limit is not ours to choose. */
  minNanos: bigint;
  /** The key, where it has caps: the hold is made under each of them as well. */
  capped?: CappedKey | undefined;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
}

/** `clock`: this process's clock differs too much from that of the ledger's database. */
export type UnavailableReason = 'ledger' | 'journal' | 'session' | 'clock';

/** What a cap of a key still allows; nano-dollars. */
export interface ReachedCap {
  period: CapPeriodLabel;
  /** Begin of the period, Unix milliseconds; 0 for the whole life of the key. */
  startMs: number;
  limitNanos: bigint;
  leftNanos: bigint;
}

export type HoldResult<Held = Hold> =
  /**
   * `hold.nanos` is between the least and the most asked for, below the most only where the whole balance, or all that is
   * left of a cap, binds.
   */
  | { kind: 'held'; hold: Held }
  /** The whole balance is too small even for the least. */
  | { kind: 'insufficient'; balanceNanos: bigint }
  /** All that is left of a cap of the key is too small even for the least. */
  | { kind: 'capped'; cap: ReachedCap }
  /**
   * Credit is only held by the account's own open requests, or what is left of `cap` by the key's, and none came free in
   * time.
   */
  | { kind: 'busy'; retryAfterMs: number; cap?: CapPeriodLabel }
  /** The account owes money. */
  | { kind: 'suspended' }
  /** No hold can be made now, whatever the balance. */
  | { kind: 'unavailable'; reason: UnavailableReason }
  | { kind: 'aborted' };

export interface ChargeOptions {
  /** Waits at most this long, beyond the write, for the ledger's acknowledgement. Absent: as the desk's limits say. */
  settledWithinMs?: number;
}

/** Credit held for one open request. Ends with exactly one `charge`, or with `release`. */
export interface Hold {
  readonly nanos: bigint;
  readonly sessionId: string;
  /**
   * Appends the charge to the journal and resolves once it is written (not fsynced). What the charge did not use is free
   * at once. A journal that cannot be written is logged; the charge is then settled from memory.
   *
   * @throws Error when the hold has ended already; rejects when the record cannot be encoded, which is logged and ends
   *   the hold
   */
  charge(record: ChargeRecord, options?: ChargeOptions): Promise<void>;
  /** Ends the hold without a record. Does nothing when it has ended already. */
  release(): void;
}

/** Bounds and times of the desk; the defaults suit production. */
export interface CreditLimits {
  /** How long a request waits for credit that is held by others. */
  waitMs: number;
  /** Requests of one account that may wait at the same time. */
  waitersPerAccount: number;
  /** Requests of all accounts that may wait at the same time. */
  waiters: number;
  /** What `busy` tells the client to wait. */
  retryAfterMs: number;
  /** First and longest delay between two asks for credit that was refused. */
  reaskMinMs: number;
  reaskMaxMs: number;
  /** A lease without a hold for this long is returned. */
  idleReturnMs: number;
  /** Unacknowledged records and open requests together. */
  journalMaxRecords: number;
  /** How long acknowledged records are kept for a failover of the database. */
  journalKeepMs: number;
  /** How long a charge waits for the ledger's acknowledgement unless it says so itself; 0: it does not wait. */
  settleBeforeEndMs: number;
}

export const DEFAULT_LIMITS: CreditLimits = {
  waitMs: 2_000,
  waitersPerAccount: 1_000,
  waiters: 10_000,
  retryAfterMs: 1_000,
  reaskMinMs: 25,
  reaskMaxMs: 200,
  idleReturnMs: 5_000,
  journalMaxRecords: 100_000,
  journalKeepMs: 15 * 60_000,
  settleBeforeEndMs: 0,
};

export interface CreditDeskOptions {
  ledger: LedgerServiceClient;
  /** Folder of the journal, for this process alone. */
  journalDir: string;
  /** The journal never takes more disk than this. */
  journalMaxBytes: number;
  /** Told to the ledger, for its logs and operators. */
  ingressName: string;
  logger: Logger;
  clock?: Clock;
  limits?: Partial<CreditLimits>;
}

/** Figures for metrics; counts unless the name says bytes. */
export interface CreditStats {
  sessionId: string;
  journalRecords: number;
  /** Segments of the journal that are still to be read and settled, so that their records are not counted yet. */
  journalUnread: number;
  journalBytes: number;
  /** Copies of damaged segments in the journal's folder. */
  journalDamaged: number;
  /** Share of the journal that is taken by what the ledger has not acknowledged, 0 to 1; at 1 no hold is made. */
  journalFilled: number;
  openHolds: number;
  leases: number;
  /** Caps of keys, by period, of which the session has a part. */
  caps: number;
  waiting: number;
  /** Charges the ledger has not acknowledged. */
  unsettled: number;
  /** Those of them that the journal could not take: they are lost with the process. */
  unwritten: number;
  posted: number;
  duplicate: number;
  loss: number;
  quarantined: number;
  /** Milliseconds that this clock is ahead of the database's, below 0 behind; 0 where the round trip may explain it. */
  clockAheadMs: number;
}
