import type { Queryable } from '@tollgate/common/postgres/pool';

export type PaymentStateLabel = 'pending' | 'settled' | 'failed';

/** A row of payments.payments. */
export interface PaymentRow {
  account_id: string;
  payment_id: string;
  amount_nanos: bigint;
  save_method: boolean;
  state: PaymentStateLabel;
  created_by: string;
  created_by_id: string;
  created_at_ms: bigint;
  settled_at_ms: bigint | null;
  checkout_id: string | null;
  checkout_url: string | null;
  provider_payment: string | null;
  method: string | null;
  failure: string | null;
  version: bigint;
  /** Of automatic top-up; null: a person began it. */
  crossing: bigint | null;
}

const COLUMNS = `account_id::text, payment_id::text, amount_nanos, save_method, state, created_by, created_by_id, created_at_ms,
  settled_at_ms, checkout_id, checkout_url, provider_payment, method, failure, version, crossing`;

export interface NewPayment {
  accountId: string;
  paymentId: string;
  /** Undefined: the row is made again from what the payment provider knows. */
  idempotencyKey: string | undefined;
  amountNanos: bigint;
  saveMethod: boolean;
  createdBy: string;
  createdById: string;
  /** Stands for the network of the client; undefined: not known. */
  clientNetwork: Buffer | undefined;
  createdAtMs: number;
  /** Of automatic top-up; undefined: a person begins it. */
  crossing?: bigint | undefined;
  nextCheckMs: number | undefined;
}

/** Inserts a pending payment, unless it exists. */
export async function insertPayment(db: Queryable, payment: NewPayment): Promise<void> {
  await db.query({
    name: 'insert-payment',
    text: `
      INSERT INTO payments.payments
        (account_id, payment_id, idempotency_key, amount_nanos, save_method, state, created_by, created_by_id, created_at_ms,
         next_check_ms, client_network, crossing)
      VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9, $10, $11)
      ON CONFLICT (account_id, payment_id) DO NOTHING`,
    values: [
      payment.accountId,
      payment.paymentId,
      payment.idempotencyKey,
      payment.amountNanos,
      payment.saveMethod,
      payment.createdBy,
      payment.createdById,
      payment.createdAtMs,
      payment.nextCheckMs,
      payment.clientNetwork,
      payment.crossing,
    ],
  });
}

export async function findPayment(
  db: Queryable,
  accountId: string,
  paymentId: string,
): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>({
    name: 'find-payment',
    text: `SELECT ${COLUMNS} FROM payments.payments WHERE account_id = $1 AND payment_id = $2`,
    values: [accountId, paymentId],
  });
  return rows[0];
}

/** As findPayment; nobody else changes it or its movements until the transaction ends. */
export async function lockPayment(
  db: Queryable,
  accountId: string,
  paymentId: string,
): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>({
    name: 'lock-payment',
    text: `SELECT ${COLUMNS} FROM payments.payments WHERE account_id = $1 AND payment_id = $2 FOR UPDATE`,
    values: [accountId, paymentId],
  });
  return rows[0];
}

export async function findPaymentByKey(
  db: Queryable,
  accountId: string,
  idempotencyKey: string,
): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>({
    name: 'find-payment-by-key',
    text: `SELECT ${COLUMNS} FROM payments.payments WHERE account_id = $1 AND idempotency_key = $2`,
    values: [accountId, idempotencyKey],
  });
  return rows[0];
}

/** The payment with one of the provider's ids. */
export async function findPaymentOfProvider(
  db: Queryable,
  { checkoutId, providerPayment }: { checkoutId?: string | undefined; providerPayment?: string | undefined },
): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>({
    name: 'find-payment-of-provider',
    text: `SELECT ${COLUMNS} FROM payments.payments WHERE provider_payment = $1
           UNION ALL SELECT ${COLUMNS} FROM payments.payments WHERE checkout_id = $2 LIMIT 1`,
    values: [providerPayment, checkoutId],
  });
  return rows[0];
}

/** A page of an account's payments, newest first: ids carry their times. */
export async function listPayments(
  db: Queryable,
  accountId: string,
  beforeId: string | undefined,
  limit: number,
): Promise<PaymentRow[]> {
  const { rows } = await db.query<PaymentRow>({
    name: beforeId === undefined ? 'list-payments' : 'list-payments-before',
    text: `SELECT ${COLUMNS} FROM payments.payments WHERE account_id = $1
           ${beforeId === undefined ? '' : 'AND payment_id < $3'} ORDER BY payment_id DESC LIMIT $2`,
    values: beforeId === undefined ? [accountId, limit] : [accountId, limit, beforeId],
  });
  return rows;
}

/** Records where the person pays. */
export async function recordCheckout(
  db: Queryable,
  { account_id, payment_id }: PaymentRow,
  checkout: { checkoutId: string; url: string },
): Promise<void> {
  await db.query({
    name: 'record-checkout',
    text: `UPDATE payments.payments SET checkout_id = $3, checkout_url = $4 WHERE account_id = $1 AND payment_id = $2`,
    values: [account_id, payment_id, checkout.checkoutId, checkout.url],
  });
}

export interface PaymentChanges {
  state: PaymentStateLabel;
  providerPayment: string | undefined;
  checkoutId: string | undefined;
  method: string | undefined;
  failure: string | undefined;
  /** Undefined: the provider says nothing of the payment. */
  hasOpenDispute: boolean | undefined;
  nextCheckMs: number | undefined;
}

/** Records what the provider says; the row must be locked. */
export async function recordAnswer(
  db: Queryable,
  { account_id, payment_id }: PaymentRow,
  changes: PaymentChanges,
): Promise<void> {
  await db.query({
    name: 'record-answer',
    text: `
      UPDATE payments.payments SET state = $3, provider_payment = coalesce($4, provider_payment),
        checkout_id = coalesce(checkout_id, $5), method = coalesce($6, method), failure = coalesce($7, failure),
        has_open_dispute = coalesce($8, has_open_dispute), next_check_ms = $9, version = version + 1
      WHERE account_id = $1 AND payment_id = $2`,
    values: [
      account_id,
      payment_id,
      changes.state,
      changes.providerPayment,
      changes.checkoutId,
      changes.method,
      changes.failure,
      changes.hasOpenDispute,
      changes.nextCheckMs,
    ],
  });
}

/** Ends a payment whose page was never made, or was refused. */
export async function failPayment(
  db: Queryable,
  { account_id, payment_id }: Pick<PaymentRow, 'account_id' | 'payment_id'>,
  failure: string | undefined,
): Promise<void> {
  await db.query({
    name: 'fail-payment',
    text: `UPDATE payments.payments SET state = 'failed', failure = $3, next_check_ms = NULL, version = version + 1
           WHERE account_id = $1 AND payment_id = $2 AND state = 'pending' AND checkout_id IS NULL`,
    values: [account_id, payment_id, failure],
  });
}

/** Ends a payment that nobody began to pay, if it was begun before a time. */
export async function expirePayment(
  db: Queryable,
  { account_id, payment_id }: PaymentRow,
  beforeMs: number,
): Promise<void> {
  await db.query({
    name: 'expire-payment',
    text: `UPDATE payments.payments SET state = 'failed', failure = 'expired', next_check_ms = NULL, version = version + 1
           WHERE account_id = $1 AND payment_id = $2 AND state = 'pending' AND provider_payment IS NULL
             AND created_at_ms < $3`,
    values: [account_id, payment_id, beforeMs],
  });
}

/** Marks a payment as paid and credited, and says when to look at it again, unless an answer after the row has said so. */
export async function recordSettled(
  db: Queryable,
  { account_id, payment_id, version }: PaymentRow,
  { nowMs, nextCheckMs }: { nowMs: number; nextCheckMs: number | undefined },
): Promise<void> {
  await db.query({
    name: 'record-settled',
    text: `UPDATE payments.payments SET state = 'settled', settled_at_ms = coalesce(settled_at_ms, $3),
             next_check_ms = CASE WHEN version = $5 THEN $4 ELSE next_check_ms END
           WHERE account_id = $1 AND payment_id = $2`,
    values: [account_id, payment_id, nowMs, nextCheckMs, version],
  });
}

/** Has a payment looked at soon because something of it was changed at the provider; an answer from before is not recorded any more. */
export async function recordChange(
  db: Queryable,
  { account_id, payment_id }: Pick<PaymentRow, 'account_id' | 'payment_id'>,
  nextCheckMs: number,
): Promise<void> {
  await db.query({
    name: 'record-change',
    text: `UPDATE payments.payments SET version = version + 1, next_check_ms = least(next_check_ms, $3)
           WHERE account_id = $1 AND payment_id = $2`,
    values: [account_id, payment_id, nextCheckMs],
  });
}

/** Whether the provider may be asked now because somebody looks at a payment; asking is recorded. */
export async function mayAsk(
  db: Queryable,
  { account_id, payment_id }: PaymentRow,
  { nowMs, intervalMs }: { nowMs: number; intervalMs: number },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'may-ask',
    text: `UPDATE payments.payments SET asked_at_ms = $3
           WHERE account_id = $1 AND payment_id = $2 AND asked_at_ms <= $3::bigint - $4::bigint`,
    values: [account_id, payment_id, nowMs, intervalMs],
  });
  return rowCount === 1;
}

/** Payments to look at, each postponed by `againMs` in case that fails. */
export async function claimPaymentsToCheck(
  db: Queryable,
  { nowMs, againMs, limit }: { nowMs: number; againMs: number; limit: number },
): Promise<PaymentRow[]> {
  const { rows } = await db.query<PaymentRow>({
    name: 'claim-payments-to-check',
    text: `
      UPDATE payments.payments p SET next_check_ms = $1::bigint + $2::bigint
      FROM (
        SELECT account_id AS a, payment_id AS b FROM payments.payments WHERE next_check_ms <= $1
        ORDER BY next_check_ms LIMIT $3 FOR UPDATE SKIP LOCKED
      ) due WHERE p.account_id = due.a AND p.payment_id = due.b
      RETURNING ${COLUMNS}`,
    values: [nowMs, againMs, limit],
  });
  return rows;
}
