import type { Charge, LeaseState, SettleOutcome } from '@tollgate/proto/ledger';
import type { CapName } from './ceilings.ts';

/** What an acquire needs of the balance, or of a cap. */
export interface NeedOf {
  cap: CapName | undefined;
  needed: bigint;
  limit: bigint;
  revision: bigint;
}

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
  | { kind: 'acquire'; session: string; account: string; sequence: bigint; needs: NeedOf[] }
  | { kind: 'return'; session: string; account: string; cap: CapName | undefined; total: bigint }
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

/** How a response differs from the right one; undefined if it does not, or was lost. */
export function differs(right: Result, response: Result | undefined): string | undefined {
  if (response === undefined || show(response) === show(right)) return undefined;
  return `responded ${show(response)}, not ${show(right)}`;
}

export function show(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part)) ?? 'nothing';
}
