import { BEFORE_ALL, newId } from '@tollgate/common/ids';
import { DATABASE_TIME_MS } from '@tollgate/common/postgres/database-time';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { LotKind } from '@tollgate/proto/ledger';
import type { Lot, LotKindLabel } from '../lots/lot.ts';
import { LotBook } from '../lots/lot-book.ts';

/** The SQL label of a kind; undefined for UNSPECIFIED. */
export function lotKindLabel(kind: LotKind): LotKindLabel | undefined {
  switch (kind) {
    case LotKind.UNSPECIFIED:
      return undefined;
    case LotKind.PAID:
      return 'paid';
    case LotKind.GRANTED:
      return 'granted';
    case LotKind.CONTRACTUAL:
      return 'contractual';
    default:
      return kind satisfies never;
  }
}

/** The kind of a SQL label. */
export function lotKindOf(label: LotKindLabel): LotKind {
  switch (label) {
    case 'paid':
      return LotKind.PAID;
    case 'granted':
      return LotKind.GRANTED;
    case 'contractual':
      return LotKind.CONTRACTUAL;
    default:
      return label satisfies never;
  }
}

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

/** A lot about whose end something is to be done. */
export interface DueLot {
  accountId: string;
  lotId: string;
  dueAtMs: bigint;
  /** It was not looked at since it ended. */
  endsNow: boolean;
}

/** A page of the lots about whose ends something is to be done by the database's clock, in order, after the given one. */
export async function dueLots(db: Queryable, after: DueLot | undefined, limit: number): Promise<DueLot[]> {
  const { rows } = await db.query<{ account_id: string; lot_id: string; due_at_ms: bigint; ends_now: boolean }>({
    name: 'due-lots',
    text: `
      SELECT l.account_id::text, l.lot_id::text, l.due_at_ms, l.due_at_ms = l.ends_at_ms AS ends_now
      FROM ledger.lots l
      WHERE l.remaining > 0 AND l.due_at_ms IS NOT NULL
        AND l.due_at_ms <= (SELECT ${DATABASE_TIME_MS}) AND (l.due_at_ms, l.account_id, l.lot_id) > ($1, $2::uuid, $3::uuid)
      ORDER BY l.due_at_ms, l.account_id, l.lot_id LIMIT $4`,
    values: [after?.dueAtMs ?? 0n, after?.accountId ?? BEFORE_ALL, after?.lotId ?? BEFORE_ALL, limit],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    lotId: row.lot_id,
    dueAtMs: row.due_at_ms,
    endsNow: row.ends_now,
  }));
}

export interface Expiry {
  accountId: string;
  /** A new UUIDv7. */
  transferId: string;
  lotId: string;
  amount: bigint;
  nowMs: bigint;
}

/** Moves available credit of a lot that ended to breakage. The balance must be locked. */
export async function moveToBreakage(client: PoolClient, expiry: Expiry): Promise<void> {
  await client.query({
    name: 'move-to-breakage',
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET available = available - $4, breakage = breakage + $4 WHERE account_id = $1
      )
      INSERT INTO ledger.transfers
        (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
      VALUES ($1, $2, 'available', 'breakage', $4, 'expiry', $3, $5)`,
    values: [expiry.accountId, expiry.transferId, expiry.lotId, expiry.amount, expiry.nowMs],
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
