import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';

/** How a crossing ended. `dropped`: the provider was never asked; `superseded`: its number had been used before. */
export const OUTCOMES = [
  'settled',
  'declined',
  'confirmation',
  'refused',
  'unanswered',
  'dropped',
  'superseded',
] as const;
export type CrossingOutcome = (typeof OUTCOMES)[number];

/** A row of payments.crossings. */
export interface CrossingRow {
  account_id: string;
  number: bigint;
  payment_id: string;
  state: 'open' | 'ended';
  outcome: CrossingOutcome | null;
  amount_nanos: bigint;
  customer_id: string;
  method_id: string;
  crossed_at_ms: bigint;
  asked_first_ms: bigint | null;
  asked_last_ms: bigint | null;
  ended_at_ms: bigint | null;
}

const COLUMNS = `c.account_id::text, c.number, c.payment_id::text, c.state, c.outcome, c.amount_nanos, c.customer_id, c.method_id,
  c.crossed_at_ms, c.asked_first_ms, c.asked_last_ms, c.ended_at_ms`;

/** The last number that the account has used, also in payments whose crossing was lost. The account must be locked. */
export async function lastNumber(db: Queryable, accountId: string): Promise<bigint> {
  const { rows } = await db.query<{ last: bigint }>({
    name: 'last-crossing-number',
    text: `SELECT coalesce(greatest((SELECT max(number) FROM payments.crossings WHERE account_id = $1),
                                    (SELECT max(crossing) FROM payments.payments WHERE account_id = $1)), 0)::bigint AS last`,
    values: [accountId],
  });
  return onlyRow(rows, 'a number is missing').last;
}

/** The account's last crossing. */
export async function lastCrossing(db: Queryable, accountId: string): Promise<CrossingRow | undefined> {
  const { rows } = await db.query<CrossingRow>({
    name: 'last-crossing',
    text: `SELECT ${COLUMNS} FROM payments.crossings c WHERE c.account_id = $1 ORDER BY c.number DESC LIMIT 1`,
    values: [accountId],
  });
  return rows[0];
}

export async function findCrossing(db: Queryable, accountId: string, number: bigint): Promise<CrossingRow | undefined> {
  const { rows } = await db.query<CrossingRow>({
    name: 'find-crossing',
    text: `SELECT ${COLUMNS} FROM payments.crossings c WHERE c.account_id = $1 AND c.number = $2`,
    values: [accountId, number],
  });
  return rows[0];
}

export interface NewCrossing {
  accountId: string;
  number: bigint;
  paymentId: string;
  balanceNanos: bigint;
  amountNanos: bigint;
  customerId: string;
  methodId: string;
  crossedAtMs: number;
}

/** Inserts an open crossing, which is due at once. The account must be locked. */
export async function insertCrossing(db: Queryable, crossing: NewCrossing): Promise<void> {
  await db.query({
    name: 'insert-crossing',
    text: `
      INSERT INTO payments.crossings
        (account_id, number, payment_id, state, balance_nanos, amount_nanos, customer_id, method_id, crossed_at_ms, next_try_ms)
      VALUES ($1, $2, $3, 'open', $4, $5, $6, $7, $8, $8)`,
    values: [
      crossing.accountId,
      crossing.number,
      crossing.paymentId,
      crossing.balanceNanos,
      crossing.amountNanos,
      crossing.customerId,
      crossing.methodId,
      crossing.crossedAtMs,
    ],
  });
}

/** Open crossings to go on with, each postponed in case that fails: twice as long after each try. */
export async function claimCrossings(
  db: Queryable,
  { nowMs, againMs, maxAgainMs, limit }: { nowMs: number; againMs: number; maxAgainMs: number; limit: number },
): Promise<CrossingRow[]> {
  const { rows } = await db.query<CrossingRow>({
    name: 'claim-crossings',
    text: `
      UPDATE payments.crossings c SET tries = c.tries + 1,
        next_try_ms = $1::bigint + least($2::bigint * (2 ^ least(c.tries, 20))::bigint, $3::bigint)
      FROM (
        SELECT account_id AS a, number AS n FROM payments.crossings WHERE state = 'open' AND next_try_ms <= $1
        ORDER BY next_try_ms LIMIT $4 FOR UPDATE SKIP LOCKED
      ) due WHERE c.account_id = due.a AND c.number = due.n
      RETURNING ${COLUMNS}`,
    values: [nowMs, againMs, maxAgainMs, limit],
  });
  return rows;
}

/** Records that the provider is about to be asked; false if the crossing has ended. */
export async function recordAsked(db: Queryable, { account_id, number }: CrossingRow, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'record-asked',
    text: `UPDATE payments.crossings SET asked_first_ms = coalesce(asked_first_ms, $3), asked_last_ms = $3
           WHERE account_id = $1 AND number = $2 AND state = 'open'`,
    values: [account_id, number, nowMs],
  });
  return rowCount === 1;
}

/** Ends a crossing; false if it has ended already. The account must be locked. */
export async function endCrossing(
  db: Queryable,
  { account_id, number }: CrossingRow,
  outcome: CrossingOutcome,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'end-crossing',
    text: `UPDATE payments.crossings SET state = 'ended', outcome = $3, ended_at_ms = $4, next_try_ms = NULL
           WHERE account_id = $1 AND number = $2 AND state = 'open'`,
    values: [account_id, number, outcome, nowMs],
  });
  return rowCount === 1;
}

/** Ends the account's open crossing if the provider was not asked yet, and its payment. The account must be locked. */
export async function dropUnasked(db: Queryable, accountId: string, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'drop-unasked-crossing',
    text: `
      WITH dropped AS (
        UPDATE payments.crossings SET state = 'ended', outcome = 'dropped', ended_at_ms = $2, next_try_ms = NULL
        WHERE account_id = $1 AND state = 'open' AND asked_first_ms IS NULL RETURNING payment_id
      )
      UPDATE payments.payments p SET state = 'failed', failure = 'dropped', next_check_ms = NULL, version = version + 1
      FROM dropped WHERE p.account_id = $1 AND p.payment_id = dropped.payment_id AND p.state = 'pending'`,
    values: [accountId, nowMs],
  });
  return (rowCount ?? 0) > 0;
}

/** When the oldest open crossing happened; undefined: none is open. */
export async function oldestOpenMs(db: Queryable): Promise<number | undefined> {
  const { rows } = await db.query<{ oldest: bigint | null }>({
    name: 'oldest-open-crossing',
    text: "SELECT min(crossed_at_ms) AS oldest FROM payments.crossings WHERE state = 'open'",
  });
  return rows[0]?.oldest === null || rows[0] === undefined ? undefined : Number(rows[0].oldest);
}
