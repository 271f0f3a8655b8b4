import type { AuditActor } from '@tollgate/common/audit/audit-log';
import type { Queryable } from '@tollgate/common/postgres/pool';

/** A row of payments.refunds. */
export interface RefundRow {
  account_id: string;
  refund_id: string;
  payment_id: string;
  amount_nanos: bigint;
  provider_cents: bigint;
  reason: string;
  state: 'open' | 'accepted' | 'refused';
  failure: string | null;
  tries: number;
  actor: AuditActor;
}

const COLUMNS = `account_id::text, refund_id::text, payment_id::text, amount_nanos, provider_cents, reason, state, failure, tries,
  actor`;

export interface NewRefund {
  accountId: string;
  refundId: string;
  paymentId: string;
  idempotencyKey: string;
  amountNanos: bigint;
  providerCents: bigint;
  reason: string;
  actor: AuditActor;
  createdAtMs: number;
  nextTryMs: number;
}

/** Inserts an open refund. */
export async function insertRefund(db: Queryable, refund: NewRefund): Promise<void> {
  await db.query({
    name: 'insert-refund',
    text: `
      INSERT INTO payments.refunds
        (account_id, refund_id, payment_id, idempotency_key, amount_nanos, provider_cents, reason, state, actor, created_at_ms,
         next_try_ms)
      VALUES ($1, $2, $3, $4, $5, $6, $7, 'open', $8, $9, $10)`,
    values: [
      refund.accountId,
      refund.refundId,
      refund.paymentId,
      refund.idempotencyKey,
      refund.amountNanos,
      refund.providerCents,
      refund.reason,
      refund.actor,
      refund.createdAtMs,
      refund.nextTryMs,
    ],
  });
}

export async function findRefund(db: Queryable, accountId: string, refundId: string): Promise<RefundRow | undefined> {
  const { rows } = await db.query<RefundRow>({
    name: 'find-refund',
    text: `SELECT ${COLUMNS} FROM payments.refunds WHERE account_id = $1 AND refund_id = $2`,
    values: [accountId, refundId],
  });
  return rows[0];
}

export async function findRefundByKey(
  db: Queryable,
  accountId: string,
  idempotencyKey: string,
): Promise<RefundRow | undefined> {
  const { rows } = await db.query<RefundRow>({
    name: 'find-refund-by-key',
    text: `SELECT ${COLUMNS} FROM payments.refunds WHERE account_id = $1 AND idempotency_key = $2`,
    values: [accountId, idempotencyKey],
  });
  return rows[0];
}

type RefundId = Pick<RefundRow, 'account_id' | 'refund_id'>;

/** Counts a call of the provider before it is made. @returns the calls before it */
export async function recordTry(db: Queryable, { account_id, refund_id }: RefundId): Promise<number> {
  const { rows } = await db.query<{ tries: number }>({
    name: 'record-try',
    text: `UPDATE payments.refunds SET tries = tries + 1 WHERE account_id = $1 AND refund_id = $2 RETURNING tries`,
    values: [account_id, refund_id],
  });
  return (rows[0]?.tries ?? 1) - 1;
}

/** Ends an open refund; false if it had ended. */
export async function endRefund(
  db: Queryable,
  { account_id, refund_id }: RefundId,
  state: 'accepted' | 'refused',
  failure?: string,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'end-refund',
    text: `UPDATE payments.refunds SET state = $3, failure = $4, next_try_ms = NULL
           WHERE account_id = $1 AND refund_id = $2 AND state = 'open'`,
    values: [account_id, refund_id, state, failure],
  });
  return rowCount === 1;
}

/** Open refunds to continue, each postponed, longer with every try. */
export async function claimRefundsToTry(
  db: Queryable,
  { nowMs, againMs, maxAgainMs, limit }: { nowMs: number; againMs: number; maxAgainMs: number; limit: number },
): Promise<RefundRow[]> {
  const { rows } = await db.query<RefundRow>({
    name: 'claim-refunds-to-try',
    text: `
      UPDATE payments.refunds r
      SET next_try_ms = $1::bigint + least($2::bigint * (1::bigint << least(tries, 20)), $3::bigint)
      FROM (
        SELECT account_id AS a, refund_id AS b FROM payments.refunds WHERE next_try_ms <= $1
        ORDER BY next_try_ms LIMIT $4 FOR UPDATE SKIP LOCKED
      ) due WHERE r.account_id = due.a AND r.refund_id = due.b
      RETURNING ${COLUMNS}`,
    values: [nowMs, againMs, maxAgainMs, limit],
  });
  return rows;
}
