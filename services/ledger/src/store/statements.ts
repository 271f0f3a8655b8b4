import { DATABASE_TIME_MS } from '@tollgate/common/postgres/database-time';
import { onlyRow, type PoolClient, type Queryable } from '@tollgate/common/postgres/pool';
import type { Statement } from '@tollgate/proto/ledger';
import type { StatementSums } from './statement-lines.ts';
import { monthName } from './time.ts';

interface StatementRow {
  account_id: string;
  month_ms: bigint;
  opening: bigint;
  deposits: bigint;
  refunds: bigint;
  disputes: bigint;
  adjustments: bigint;
  charges: bigint;
  expired: bigint;
  closing: bigint;
  issued_at_ms: bigint;
}

const COLUMNS = `account_id::text, month_ms, opening, deposits, refunds, disputes, adjustments, charges, expired, closing,
  issued_at_ms`;

function fromRow(row: StatementRow): Statement {
  return {
    accountId: row.account_id,
    month: monthName(Number(row.month_ms)),
    openingNanos: row.opening,
    depositsNanos: row.deposits,
    refundsNanos: row.refunds,
    disputesNanos: row.disputes,
    adjustmentsNanos: row.adjustments,
    chargesNanos: row.charges,
    expiredNanos: row.expired,
    closingNanos: row.closing,
    issuedAtMs: row.issued_at_ms,
  };
}

/** The account's statement of a month; undefined if there is none. */
export async function findStatement(db: Queryable, accountId: string, monthMs: number): Promise<Statement | undefined> {
  const { rows } = await db.query<StatementRow>({
    name: 'find-statement',
    text: `SELECT ${COLUMNS} FROM ledger.statements WHERE account_id = $1 AND month_ms = $2`,
    values: [accountId, monthMs],
  });
  return rows[0] && fromRow(rows[0]);
}

/** A page of an account's statements of months before one, newest first. */
export async function listStatements(
  db: Queryable,
  accountId: string,
  beforeMs: number,
  limit: number,
): Promise<Statement[]> {
  const { rows } = await db.query<StatementRow>({
    name: 'list-statements',
    text: `
      SELECT ${COLUMNS} FROM ledger.statements
      WHERE account_id = $1 AND month_ms < $2 ORDER BY month_ms DESC LIMIT $3`,
    values: [accountId, beforeMs, limit],
  });
  return rows.map(fromRow);
}

/** Which of some accounts had a deposit before the end of a month and have no statement of it; joins would scan both tables. */
export async function accountsWithoutStatement(
  db: Queryable,
  accountIds: readonly string[],
  month: { startMs: number; endMs: number },
): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>({
    name: 'accounts-without-statement',
    text: `
      SELECT a.account_id::text FROM unnest($1::uuid[]) AS a (account_id)
      WHERE (SELECT s.month_ms FROM ledger.statements s WHERE s.account_id = a.account_id AND s.month_ms = $2) IS NULL
        AND (SELECT min(d.created_at_ms) FROM ledger.deposits d WHERE d.account_id = a.account_id) < $3`,
    values: [accountIds, month.startMs, month.endMs],
  });
  return rows.map((row) => row.account_id);
}

export interface StatementState {
  /** What the account has now, less what it owes. */
  balance: bigint;
  /** Its latest statement. */
  last: { monthMs: number; closing: bigint } | undefined;
  /** Undefined: it never had one. */
  firstDepositMs: number | undefined;
}

/** Where an account's statements stand; undefined for an unknown account. */
export async function readStatementState(db: Queryable, accountId: string): Promise<StatementState | undefined> {
  const { rows } = await db.query<{
    balance: bigint;
    last_month_ms: bigint | null;
    last_closing: bigint | null;
    first_deposit_ms: bigint | null;
  }>({
    name: 'read-statement-state',
    text: `
      SELECT b.available + b.leased + b.receivable AS balance, l.month_ms AS last_month_ms, l.closing AS last_closing,
             (SELECT min(d.created_at_ms) FROM ledger.deposits d WHERE d.account_id = b.account_id) AS first_deposit_ms
      FROM ledger.balances b
      LEFT JOIN LATERAL (
        SELECT s.month_ms, s.closing FROM ledger.statements s
        WHERE s.account_id = b.account_id ORDER BY s.month_ms DESC LIMIT 1
      ) l ON true
      WHERE b.account_id = $1`,
    values: [accountId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { balance, last_month_ms: monthMs, last_closing: closing, first_deposit_ms: firstMs } = row;
  return {
    balance,
    last: monthMs === null || closing === null ? undefined : { monthMs: Number(monthMs), closing },
    firstDepositMs: firstMs === null ? undefined : Number(firstMs),
  };
}

/** What changed the balance from a time on that is the start of a day: deposits, less what ended, less charges of these days. */
export async function sumChangesSince(db: Queryable, accountId: string, sinceMs: number): Promise<bigint> {
  const { rows } = await db.query<{ sum: bigint }>({
    name: 'sum-changes-since',
    text: `
      SELECT (
        coalesce((SELECT sum(d.amount_nanos) FROM ledger.deposits d
                  WHERE d.account_id = $1 AND d.created_at_ms >= $2), 0)
        - coalesce((SELECT sum(t.amount) FROM ledger.transfers t
                    WHERE t.account_id = $1 AND t.reason = 'expiry' AND t.created_at_ms >= $2), 0)
        - coalesce((SELECT sum(u.charged_nanos) FROM ledger.usage_daily u
                    WHERE u.account_id = $1 AND u.start_ms >= $2), 0)
      )::bigint AS sum`,
    values: [accountId, sinceMs],
  });
  return onlyRow(rows, 'an aggregate gave no row').sum;
}

export interface NewStatement extends StatementSums {
  accountId: string;
  monthMs: number;
  opening: bigint;
  closing: bigint;
}

/** Inserts a statement, whose lines are in the same transaction. */
export async function insertStatement(client: PoolClient, given: NewStatement): Promise<void> {
  await client.query({
    name: 'insert-statement',
    text: `
      INSERT INTO ledger.statements (account_id, month_ms, opening, deposits, refunds, disputes, adjustments, charges,
                                     expired, closing, issued_at_ms)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ${DATABASE_TIME_MS})`,
    values: [
      given.accountId,
      given.monthMs,
      given.opening,
      given.deposits,
      given.refunds,
      given.disputes,
      given.adjustments,
      given.charges,
      given.expired,
      given.closing,
    ],
  });
}
