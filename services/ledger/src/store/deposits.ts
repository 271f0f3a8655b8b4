import { newId } from '@tollgate/common/ids';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { type Deposit, DepositKind } from '@tollgate/proto/ledger';
import type { Cursor, TimeRange } from './time.ts';

/** Labels of the SQL type ledger.deposit_kind. */
export type DepositKindLabel = 'deposit' | 'adjustment' | 'refund' | 'dispute';

/** The SQL label of a kind; undefined for UNSPECIFIED. */
export function depositKindLabel(kind: DepositKind): DepositKindLabel | undefined {
  switch (kind) {
    case DepositKind.UNSPECIFIED:
      return undefined;
    case DepositKind.DEPOSIT:
      return 'deposit';
    case DepositKind.ADJUSTMENT:
      return 'adjustment';
    case DepositKind.REFUND:
      return 'refund';
    case DepositKind.DISPUTE:
      return 'dispute';
    default:
      return kind satisfies never;
  }
}

/** The kind of a SQL label. */
export function depositKindOf(label: DepositKindLabel): DepositKind {
  switch (label) {
    case 'deposit':
      return DepositKind.DEPOSIT;
    case 'adjustment':
      return DepositKind.ADJUSTMENT;
    case 'refund':
      return DepositKind.REFUND;
    case 'dispute':
      return DepositKind.DISPUTE;
    default:
      return label satisfies never;
  }
}

/** A row of ledger.deposits, as far as it is read. */
export interface DepositRow {
  deposit_id: string;
  account_id: string;
  kind: DepositKindLabel;
  amount_nanos: bigint;
  reason: string;
  created_at_ms: bigint;
  owed_nanos: bigint;
  /** Null: not recorded. */
  created_by: string | null;
}

export const DEPOSIT_COLUMNS =
  'deposit_id::text, account_id::text, kind, amount_nanos, reason, created_at_ms, owed_nanos, created_by';

export function depositFromRow(row: DepositRow): Deposit {
  return {
    depositId: row.deposit_id,
    accountId: row.account_id,
    kind: depositKindOf(row.kind),
    amountNanos: row.amount_nanos,
    reason: row.reason,
    createdAtMs: row.created_at_ms,
    owedNanos: row.owed_nanos,
    createdBy: row.created_by ?? '',
  };
}

export interface KnownDeposit {
  deposit: Deposit;
  inputHash: Buffer;
}

/** The account's deposit with an idempotency key, if there is one. */
export async function findDeposit(
  client: PoolClient,
  accountId: string,
  idempotencyKey: string,
): Promise<KnownDeposit | undefined> {
  const { rows } = await client.query<DepositRow & { input_hash: Buffer }>({
    name: 'find-deposit',
    text: `SELECT ${DEPOSIT_COLUMNS}, input_hash FROM ledger.deposits WHERE account_id = $1 AND idempotency_key = $2`,
    values: [accountId, idempotencyKey],
  });
  const row = rows[0];
  return row && { deposit: depositFromRow(row), inputHash: row.input_hash };
}

/** Whether a deposit credited the account. */
export async function isCredit(client: PoolClient, accountId: string, depositId: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'is-credit',
    text: 'SELECT FROM ledger.deposits d WHERE d.account_id = $1 AND d.deposit_id = $2 AND amount_nanos > 0',
    values: [accountId, depositId],
  });
  return rowCount === 1;
}

/** A page of an account's deposits in a time range, newest first. */
export async function listDeposits(
  db: Queryable,
  accountId: string,
  range: TimeRange,
  cursor: Cursor | undefined,
  limit: number,
): Promise<Deposit[]> {
  const { rows } = await db.query<DepositRow>({
    name: cursor === undefined ? 'list-deposits' : 'list-deposits-after',
    text: `
      SELECT ${DEPOSIT_COLUMNS} FROM ledger.deposits
      WHERE account_id = $1 AND created_at_ms >= $2 AND created_at_ms < $3
        ${cursor === undefined ? '' : 'AND (created_at_ms, deposit_id) < ($5, $6::uuid)'}
      ORDER BY created_at_ms DESC, deposit_id DESC LIMIT $4`,
    values: [accountId, range.startMs, range.endMs, limit, ...(cursor === undefined ? [] : [cursor.timeMs, cursor.id])],
  });
  return rows.map(depositFromRow);
}

export interface NewDeposit {
  /** A new UUIDv7. */
  depositId: string;
  accountId: string;
  kind: DepositKindLabel;
  amountNanos: bigint;
  /** The part that changes the debt instead of the available balance: positive if the account owes more. */
  owedNanos: bigint;
  reason: string;
  idempotencyKey: string;
  inputHash: Buffer;
  /** Name of the actor; undefined: made by the ledger itself. */
  createdBy: string | undefined;
  nowMs: bigint;
}

/** The ledger account that a deposit of this kind comes from. Refunds and disputes reverse payments, so they share it. */
function sourceOf(kind: DepositKindLabel): 'deposits' | 'adjustments' {
  return kind === 'adjustment' ? 'adjustments' : 'deposits';
}

/**
 * Records a deposit and moves its amount: to or from the available balance, and the owed part to or from the debt, each with
 * a transfer of its own. The balance must be locked.
 */
export async function insertDeposit(client: PoolClient, given: NewDeposit): Promise<Deposit> {
  const source = sourceOf(given.kind);
  const gained = given.amountNanos + given.owedNanos;
  const { rows } = await client.query<DepositRow>({
    name: `insert-deposit-${source}`,
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET
          available = available + $9, receivable = receivable - $10, ${source} = ${source} - $4
        WHERE account_id = $2
      ), transfer AS (
        INSERT INTO ledger.transfers
          (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
        SELECT $2, t.id,
               CASE WHEN t.gain > 0 THEN '${source}'::ledger.side ELSE t.side END,
               CASE WHEN t.gain > 0 THEN t.side ELSE '${source}'::ledger.side END,
               abs(t.gain), $3::text::ledger.transfer_reason, $1, $8
        FROM (VALUES
          ($11::uuid, 'available'::ledger.side, $9::bigint), ($12, 'receivable', -$10::bigint)
        ) AS t (id, side, gain)
        WHERE t.gain <> 0
      )
      INSERT INTO ledger.deposits
        (deposit_id, account_id, kind, amount_nanos, owed_nanos, reason, idempotency_key, input_hash, created_at_ms,
         created_by)
      VALUES ($1, $2, $3::text::ledger.deposit_kind, $4, $10, $5, $6, $7, $8, $13)
      RETURNING ${DEPOSIT_COLUMNS}`,
    values: [
      given.depositId,
      given.accountId,
      given.kind,
      given.amountNanos,
      given.reason,
      given.idempotencyKey,
      given.inputHash,
      given.nowMs,
      gained,
      given.owedNanos,
      newId(),
      newId(),
      given.createdBy,
    ],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('an inserted deposit returned no row');
  return depositFromRow(row);
}
