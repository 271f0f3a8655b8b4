import type { Charge, LeaseState, SettleOutcome } from '@tollgate/proto/ledger';

export type DepositLabel = 'deposit' | 'adjustment' | 'refund' | 'dispute';

/** One call of the ledger, or one round of its sweeper. Accounts and sessions are ids. */
export type Operation =
  | {
      kind: 'deposit';
      account: string;
      label: DepositLabel;
      amount: bigint;
      key: string;
      /** The deposit that a refund or dispute takes back. */
      of: string | undefined;
      /** Of the lot of a credit, if it is not as usual. */
      lot: { endsAtMs: number | undefined; priority: number } | undefined;
    }
  /** One round of the job that ends lots. */
  | { kind: 'end_lots' }
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
  | { kind: 'opened' | 'confirmed' | 'closed' | 'raised' | 'ended' }
  | { kind: 'fenced' }
  | { kind: 'lease'; state: LeaseState }
  | { kind: 'settled'; outcomes: SettleOutcome[] }
  | { kind: 'swept'; sessions: string[] };
