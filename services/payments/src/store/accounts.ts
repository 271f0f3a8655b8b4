import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';

/** Locks an account's row, which is made if it does not exist, until the transaction ends. */
export async function lockAccount(db: Queryable, accountId: string): Promise<void> {
  await db.query({
    name: 'lock-account',
    text: `INSERT INTO payments.accounts (account_id) VALUES ($1)
           ON CONFLICT (account_id) DO UPDATE SET account_id = excluded.account_id`,
    values: [accountId],
  });
}

/** The account's customer at the payment provider; undefined: it has none. */
export async function customerOf(db: Queryable, accountId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ customer_id: string | null }>({
    name: 'customer-of',
    text: 'SELECT customer_id FROM payments.accounts WHERE account_id = $1',
    values: [accountId],
  });
  return rows[0]?.customer_id ?? undefined;
}

/** Records the account's customer in place of another. @returns the one that is recorded now */
export async function replaceCustomer(
  db: Queryable,
  accountId: string,
  customerId: string,
  before: string | undefined,
): Promise<string> {
  await db.query({
    name: 'replace-customer',
    text: `INSERT INTO payments.accounts (account_id, customer_id) VALUES ($1, $2)
           ON CONFLICT (account_id) DO UPDATE SET customer_id = excluded.customer_id
           WHERE accounts.customer_id IS NOT DISTINCT FROM $3`,
    values: [accountId, customerId, before],
  });
  return (await customerOf(db, accountId)) ?? customerId;
}

/** What limits depend on. */
export interface PaidIn {
  /** What operators allow within 24 hours; undefined: nothing of its own. */
  ownLimitNanos: bigint | undefined;
  /** Net of refunds and disputes, of payments settled before the time. */
  oldNetNanos: bigint;
  /** Settled or begun and not failed, since the other time. */
  recentNanos: bigint;
}

/** Sums what an account has paid in. */
export async function readPaidIn(
  db: Queryable,
  accountId: string,
  { oldBeforeMs, recentSinceMs }: { oldBeforeMs: number; recentSinceMs: number },
): Promise<PaidIn> {
  const { rows } = await db.query<{ own: bigint | null; old: bigint; recent: bigint }>({
    name: 'read-paid-in',
    text: `
      SELECT (SELECT daily_limit_nanos FROM payments.accounts WHERE account_id = $1) AS own,
        (SELECT coalesce(sum(m.amount_nanos), 0)::bigint
         FROM payments.payments p JOIN payments.movements m
           ON m.account_id = p.account_id AND m.payment_id = p.payment_id
         WHERE p.account_id = $1 AND p.state = 'settled' AND p.settled_at_ms < $2) AS old,
        (SELECT coalesce(sum(amount_nanos), 0)::bigint FROM payments.payments
         WHERE account_id = $1 AND state <> 'failed' AND coalesce(settled_at_ms, created_at_ms) >= $3) AS recent`,
    values: [accountId, oldBeforeMs, recentSinceMs],
  });
  const { own, old, recent } = onlyRow(rows, 'sums are missing');
  return { ownLimitNanos: own ?? undefined, oldNetNanos: old, recentNanos: recent };
}

/** Sets what operators allow within 24 hours; undefined: the payments decide. @returns what it was */
export async function replaceDailyLimit(
  db: Queryable,
  accountId: string,
  limitNanos: bigint | undefined,
): Promise<bigint | undefined> {
  const { rows } = await db.query<{ before: bigint | null }>({
    name: 'replace-daily-limit',
    text: `
      UPDATE payments.accounts a SET daily_limit_nanos = $2
      FROM (SELECT daily_limit_nanos AS before FROM payments.accounts WHERE account_id = $1 FOR UPDATE) old
      WHERE a.account_id = $1 RETURNING old.before`,
    values: [accountId, limitNanos],
  });
  return onlyRow(rows, 'the row of an account is missing').before ?? undefined;
}
