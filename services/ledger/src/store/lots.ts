import { newId } from '@tollgate/common/ids';
import { DATABASE_TIME_MS } from '@tollgate/common/postgres/database-time';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import type { Lot, LotKindLabel } from '../lots/lot.ts';
import { LotBook } from '../lots/lot-book.ts';

interface LotRow {
  lot_id: string;
  payment_id: string | null;
  kind: LotKindLabel;
  priority: number;
  ends_at_ms: bigint | null;
  created_at_ms: bigint;
  amount: bigint;
  remaining: bigint;
  spent: bigint;
  taken: bigint;
  expired: bigint;
  due_at_ms: bigint | null;
}

interface AccountLotRow {
  credit: bigint;
  charged: bigint;
  attributed: bigint | null;
  now_ms: bigint;
}

const NO_CREDIT = { credit: 0n, charged: 0n, attributed: undefined };

/** The columns of a lot; all null without one. */
const LOT_COLUMNS = `
  l.lot_id::text, l.payment_id::text, l.kind, l.priority, l.ends_at_ms, l.created_at_ms, l.amount, l.remaining, l.spent,
  l.taken, l.expired, l.due_at_ms`;

/**
 * Reads an account's lots with all charges attributed; none of an unknown account. To change them, lock the balance first, and
 * write them in the same transaction.
 */
export async function readLots(db: Queryable, accountId: string): Promise<LotBook> {
  const { rows } = await db.query<AccountLotRow & (LotRow | { lot_id: null })>({
    name: 'read-lots',
    text: `
      SELECT b.available + b.leased AS credit, b.revenue + b.operator_loss AS charged, b.attributed,
             ${DATABASE_TIME_MS} AS now_ms, ${LOT_COLUMNS}
      FROM ledger.balances b
      LEFT JOIN ledger.lots l ON l.account_id = b.account_id AND l.remaining > 0
      WHERE b.account_id = $1`,
    values: [accountId],
  });
  const [first] = rows;
  if (first === undefined) return LotBook.open([], NO_CREDIT, { newLotId: '', nowMs: 0n });
  const lots = rows.flatMap((row) => (row.lot_id === null ? [] : [lotFromRow(row)]));
  const account = { credit: first.credit, charged: first.charged, attributed: first.attributed ?? undefined };
  return LotBook.open(lots, account, { newLotId: newId(), nowMs: first.now_ms });
}

/** Writes what changed of an account's lots. The balance must be locked since before they were read. */
export async function writeLots(client: PoolClient, accountId: string, book: LotBook): Promise<void> {
  const lots = book.changed;
  const column = <Name extends keyof Lot>(name: Name) => lots.map((lot) => lot[name] ?? null);
  await client.query({
    name: 'write-lots',
    text: `
      WITH attribution AS (
        UPDATE ledger.balances SET attributed = $2 WHERE account_id = $1 AND attributed IS DISTINCT FROM $2
      )
      INSERT INTO ledger.lots AS l
        (account_id, lot_id, payment_id, kind, priority, ends_at_ms, created_at_ms, amount, remaining, spent, taken, expired,
         due_at_ms)
      SELECT $1, c.*
      FROM unnest($3::uuid[], $4::uuid[], $5::text[]::ledger.lot_kind[], $6::smallint[], $7::bigint[], $8::bigint[],
                  $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[]) AS c
      ON CONFLICT (account_id, lot_id) DO UPDATE SET
        remaining = excluded.remaining, spent = excluded.spent, taken = excluded.taken, expired = excluded.expired,
        due_at_ms = excluded.due_at_ms`,
    values: [
      accountId,
      book.attributed,
      column('lotId'),
      column('paymentId'),
      column('kind'),
      column('priority'),
      column('endsAtMs'),
      column('createdAtMs'),
      column('amount'),
      column('remaining'),
      column('spent'),
      column('taken'),
      column('expired'),
      column('dueAtMs'),
    ],
  });
}

/** The kind of the lot that a deposit made, used up or not; undefined: none, because it was made before there were lots. */
export async function findLotKind(
  db: Queryable,
  accountId: string,
  depositId: string,
): Promise<LotKindLabel | undefined> {
  const { rows } = await db.query<{ kind: LotKindLabel }>({
    name: 'find-lot-kind',
    text: 'SELECT l.kind FROM ledger.lots l WHERE l.account_id = $1 AND l.lot_id = $2',
    values: [accountId, depositId],
  });
  return rows[0]?.kind;
}

function lotFromRow(row: LotRow): Lot {
  return {
    lotId: row.lot_id,
    paymentId: row.payment_id ?? undefined,
    kind: row.kind,
    priority: row.priority,
    endsAtMs: row.ends_at_ms ?? undefined,
    createdAtMs: row.created_at_ms,
    amount: row.amount,
    remaining: row.remaining,
    spent: row.spent,
    taken: row.taken,
    expired: row.expired,
    dueAtMs: row.due_at_ms ?? undefined,
  };
}
