import type { Charge, LeaseState, SettleOutcome } from '@tollgate/proto/ledger';

export type DepositLabel = 'deposit' | 'adjustment' | 'refund' | 'dispute';

/** One call of the ledger, or one round of its sweeper. Accounts and sessions are ids. */
export type Operation =
  /** `of`: the deposit that a refund or dispute takes back. */
  | { kind: 'deposit'; account: string; label: DepositLabel; amount: bigint; key: string; of: string | undefined }
  | { kind: 'open'; session: string }
  | { kind: 'beat'; session: string; sequence: bigint }
  | { kind: 'acquire'; session: string; account: string; sequence: bigint; needed: bigint }
  | { kind: 'return'; session: string; account: string; total: bigint }
  | { kind: 'settle'; charges: Charge[] }
  /** Sent by `session`, for itself or, as by a restarted ingress, for another. */
  | { kind: 'close'; session: string; closed: string }
  | { kind: 'sweep' }
  | { kind: 'raise_epoch' };

/** The ledger's response. */
export type Result =
  | { kind: 'made' | 'repeated'; id: string }
  | { kind: 'other_input' | 'short' }
  | { kind: 'opened' | 'confirmed' | 'closed' | 'raised' }
  | { kind: 'fenced' }
  | { kind: 'lease'; state: LeaseState }
  | { kind: 'settled'; outcomes: SettleOutcome[] }
  | { kind: 'swept'; sessions: string[] };
