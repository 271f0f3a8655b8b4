import type { Deposit, Statement, StatementLine } from '@tollgate/proto/ledger';
import type { Parties } from './parties.ts';

/** What every document has. */
interface Numbered {
  number: string;
  parties: Parties;
}

/** Requests and their charges. */
export interface ChargeSum {
  requests: bigint;
  amountNanos: bigint;
}

/** A part of a list of lines, and how many there are of it. */
export interface Shown<T> {
  rows: readonly T[];
  count: number;
}

export interface StatementDocument extends Numbered {
  kind: 'statement';
  statement: Statement;
  /** Deposits, adjustments, refunds and disputes, by time. */
  credits: Shown<StatementLine>;
  /** Most expensive first. */
  models: Shown<ChargeSum & { model: string }>;
  /** By day, and by model where that is not too long. */
  days: readonly (ChargeSum & { atMs: bigint; model: string | null })[];
  /** Credit that ended. */
  expiries: Shown<StatementLine>;
}

export interface ReceiptDocument extends Numbered {
  kind: 'receipt';
  deposit: Pick<Deposit, 'depositId' | 'amountNanos' | 'reason' | 'createdAtMs'>;
}

export type Document = StatementDocument | ReceiptDocument;
