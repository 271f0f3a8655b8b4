import { onlyRow, type PoolClient, type Queryable } from '@tollgate/common/postgres/pool';
import { LotKind, type StatementLine, StatementLineKind } from '@tollgate/proto/ledger';
import type { LotKindLabel } from '../lots/lot.ts';
import { lotKindOf } from './lots.ts';
import { monthStart } from './time.ts';

/** Labels of the SQL type ledger.statement_line_kind. */
type StatementLineLabel = 'deposit' | 'adjustment' | 'refund' | 'dispute' | 'charges' | 'expiry';

/** The kind of a SQL label. */
function lineKindOf(label: StatementLineLabel): StatementLineKind {
  switch (label) {
    case 'deposit':
      return StatementLineKind.DEPOSIT;
    case 'adjustment':
      return StatementLineKind.ADJUSTMENT;
    case 'refund':
      return StatementLineKind.REFUND;
    case 'dispute':
      return StatementLineKind.DISPUTE;
    case 'charges':
      return StatementLineKind.CHARGES;
    case 'expiry':
      return StatementLineKind.EXPIRY;
    default:
      return label satisfies never;
  }
}

interface LineRow {
  line: number;
  kind: StatementLineLabel;
  at_ms: bigint;
  reference: string | null;
  description: string | null;
  model: string | null;
  requests: bigint | null;
  lot_kind: LotKindLabel | null;
  ends_at_ms: bigint | null;
  amount: bigint;
}

/** A line with its number. */
export interface NumberedLine {
  number: number;
  line: StatementLine;
}

/** A page of the lines of a statement, after a number. */
export async function listStatementLines(
  db: Queryable,
  accountId: string,
  monthMs: number,
  { after, limit }: { after: number; limit: number },
): Promise<NumberedLine[]> {
  const { rows } = await db.query<LineRow>({
    name: 'list-statement-lines',
    text: `
      SELECT line, kind, at_ms, reference::text, description, model, requests, lot_kind, ends_at_ms, amount FROM ledger.statement_lines
      WHERE account_id = $1 AND month_ms = $2 AND line > $3 ORDER BY line LIMIT $4`,
    values: [accountId, monthMs, after, limit],
  });
  return rows.map((row) => ({
    number: row.line,
    line: {
      kind: lineKindOf(row.kind),
      atMs: row.at_ms,
      reference: row.reference ?? '',
      description: row.description ?? '',
      model: row.model ?? '',
      requests: row.requests ?? undefined,
      amountNanos: row.amount,
      lotKind: row.lot_kind === null ? LotKind.UNSPECIFIED : lotKindOf(row.lot_kind),
      endsAtMs: row.ends_at_ms ?? undefined,
    },
  }));
}

/** The lines of a statement, summed by kind. */
export interface StatementSums {
  deposits: bigint;
  refunds: bigint;
  disputes: bigint;
  adjustments: bigint;
  charges: bigint;
  expired: bigint;
}

/** SQL: the sum of the lines of a kind. */
const sumOf = (kind: StatementLineLabel) => `coalesce(sum(amount) FILTER (WHERE kind = '${kind}'), 0)::bigint`;

/**
 * Inserts the lines of a statement: deposits of the month, charges of its days and of earlier ones since `lateSinceMs` that no line of
 * an earlier statement has, and credit that ended in the month.
 *
 * @param lateSinceMs the start of a day
 */
export async function insertStatementLines(
  client: PoolClient,
  accountId: string,
  { startMs, endMs, lateSinceMs }: { startMs: number; endMs: number; lateSinceMs: number },
): Promise<StatementSums> {
  const { rows } = await client.query<StatementSums>({
    name: 'insert-statement-lines',
    text: `
      WITH charged AS (
        SELECT c.day_ms, c.model, sum(c.requests) AS requests, sum(c.nanos) AS nanos
        FROM (
          SELECT u.start_ms AS day_ms, u.model, u.requests, u.charged_nanos AS nanos FROM ledger.usage_daily u
          WHERE u.account_id = $1 AND u.start_ms >= $4 AND u.start_ms < $3
          UNION ALL
          SELECT l.at_ms, l.model, -l.requests, l.amount FROM ledger.statement_lines l
          WHERE l.account_id = $1 AND l.month_ms >= $5 AND l.month_ms < $2 AND l.kind = 'charges' AND l.at_ms >= $4
        ) c
        GROUP BY 1, 2
        HAVING sum(c.requests) <> 0 OR sum(c.nanos) <> 0
      ), lines AS (
        SELECT 1 AS section, d.kind::text AS kind, d.created_at_ms AS at_ms, d.deposit_id AS reference, d.reason AS description,
               NULL AS model, NULL::bigint AS requests, d.deposit_id AS lot_id, d.amount_nanos AS amount, d.deposit_id AS id
        FROM ledger.deposits d WHERE d.account_id = $1 AND d.created_at_ms >= $2 AND d.created_at_ms < $3
        UNION ALL
        SELECT 2, 'charges', c.day_ms, NULL, NULL, c.model, c.requests::bigint, NULL, -c.nanos::bigint, NULL FROM charged c
        UNION ALL
        SELECT 3, 'expiry', t.created_at_ms, t.reference, NULL, NULL, NULL, t.reference, -t.amount, t.transfer_id
        FROM ledger.transfers t
        WHERE t.account_id = $1 AND t.reason = 'expiry' AND t.created_at_ms >= $2 AND t.created_at_ms < $3
      ), inserted AS (
        INSERT INTO ledger.statement_lines
          (account_id, month_ms, line, kind, at_ms, reference, description, model, requests, lot_kind, ends_at_ms, amount)
        SELECT $1, $2, row_number() OVER (ORDER BY l.section, l.at_ms, l.id, l.model COLLATE "C"),
               l.kind::ledger.statement_line_kind, l.at_ms, l.reference, l.description, l.model, l.requests, o.kind, o.ends_at_ms,
               l.amount
        FROM lines l
        -- With a limit it is looked up for each line, and not all lots of the account are read.
        LEFT JOIN LATERAL (
          SELECT t.kind, t.ends_at_ms FROM ledger.lots t WHERE t.account_id = $1 AND t.lot_id = l.lot_id LIMIT 1
        ) o ON true
        RETURNING kind, amount
      )
      SELECT ${sumOf('deposit')} AS deposits, ${sumOf('refund')} AS refunds, ${sumOf('dispute')} AS disputes,
             ${sumOf('adjustment')} AS adjustments, ${sumOf('charges')} AS charges, ${sumOf('expiry')} AS expired
      FROM inserted`,
    values: [accountId, startMs, endMs, lateSinceMs, monthStart(lateSinceMs)],
  });
  return onlyRow(rows, 'an aggregate gave no row');
}
