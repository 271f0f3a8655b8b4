import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';

export const PAUSE_REASONS = [
  'confirmation',
  'declined',
  'retry',
  'card_removed',
  'monthly_max',
  'daily_limit',
  'dispute',
  'refused',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** When which card is charged. */
export interface TopUpRule {
  thresholdNanos: bigint;
  targetNanos: bigint;
  monthlyMaxNanos: bigint;
  methodId: string;
  /** Such as `visa 4242`. */
  method: string;
}

export interface Pause {
  reason: PauseReason;
  /** Undefined: until somebody ends it. */
  untilMs: number | undefined;
  /** The crossing to confirm. */
  crossing: bigint | undefined;
  failure: string | undefined;
}

/** The automatic top-up of an account. */
export interface TopUp {
  accountId: string;
  rule: TopUpRule;
  revision: bigint;
  /** Declined charges in a row. */
  declines: number;
  pause: Pause | undefined;
}

interface TopUpRow {
  account_id: string;
  threshold_nanos: bigint;
  target_nanos: bigint;
  monthly_max_nanos: bigint;
  method_id: string;
  method: string;
  revision: bigint;
  declines: number;
  pause_reason: PauseReason | null;
  paused_until_ms: bigint | null;
  paused_crossing: bigint | null;
  failure: string | null;
}

const COLUMNS = `t.account_id::text, t.threshold_nanos, t.target_nanos, t.monthly_max_nanos, t.method_id, t.method, t.revision,
  t.declines, t.pause_reason, t.paused_until_ms, t.paused_crossing, t.failure`;

function fromRow(row: TopUpRow): TopUp {
  return {
    accountId: row.account_id,
    rule: {
      thresholdNanos: row.threshold_nanos,
      targetNanos: row.target_nanos,
      monthlyMaxNanos: row.monthly_max_nanos,
      methodId: row.method_id,
      method: row.method,
    },
    revision: row.revision,
    declines: row.declines,
    pause:
      row.pause_reason === null
        ? undefined
        : {
            reason: row.pause_reason,
            untilMs: row.paused_until_ms === null ? undefined : Number(row.paused_until_ms),
            crossing: row.paused_crossing ?? undefined,
            failure: row.failure ?? undefined,
          },
  };
}

/** Undefined: it is off. Where what is decided depends on it, the account must be locked. */
export async function findTopUp(db: Queryable, accountId: string): Promise<TopUp | undefined> {
  const { rows } = await db.query<TopUpRow>({
    name: 'find-top-up',
    text: `SELECT ${COLUMNS} FROM payments.top_ups t WHERE t.account_id = $1`,
    values: [accountId],
  });
  return rows[0] && fromRow(rows[0]);
}

/** Switches it on or changes it, without a pause. The account must be locked. */
export async function saveTopUp(db: Queryable, accountId: string, rule: TopUpRule): Promise<void> {
  await db.query({
    name: 'save-top-up',
    text: `
      INSERT INTO payments.top_ups AS t (account_id, threshold_nanos, target_nanos, monthly_max_nanos, method_id, method)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (account_id) DO UPDATE SET threshold_nanos = excluded.threshold_nanos, target_nanos = excluded.target_nanos,
        monthly_max_nanos = excluded.monthly_max_nanos, method_id = excluded.method_id, method = excluded.method,
        revision = t.revision + 1, declines = 0, pause_reason = NULL, paused_until_ms = NULL, paused_crossing = NULL,
        failure = NULL`,
    values: [accountId, rule.thresholdNanos, rule.targetNanos, rule.monthlyMaxNanos, rule.methodId, rule.method],
  });
}

/** Switches it off. The account must be locked. */
export async function removeTopUp(db: Queryable, accountId: string): Promise<void> {
  await db.query({
    name: 'remove-top-up',
    text: 'DELETE FROM payments.top_ups WHERE account_id = $1',
    values: [accountId],
  });
}

/** Records how a charge ended, and a pause that follows from it. The account must be locked. */
export async function recordPause(
  db: Queryable,
  accountId: string,
  { declines, pause }: { declines: number; pause: Pause | undefined },
): Promise<void> {
  await db.query({
    name: 'record-pause',
    text: `
      UPDATE payments.top_ups SET declines = $2, pause_reason = $3, paused_until_ms = $4, paused_crossing = $5, failure = $6,
        revision = revision + 1
      WHERE account_id = $1`,
    values: [accountId, declines, pause?.reason, pause?.untilMs, pause?.crossing, pause?.failure],
  });
}

/** Ends the pauses of those whose payment its cardholder has confirmed. */
export async function resumeConfirmed(db: Queryable): Promise<void> {
  await db.query({
    name: 'resume-confirmed',
    text: `
      UPDATE payments.top_ups t SET declines = 0, pause_reason = NULL, paused_until_ms = NULL, paused_crossing = NULL,
        failure = NULL, revision = revision + 1
      WHERE t.pause_reason = 'confirmation' AND EXISTS (
        SELECT FROM payments.payments p
        WHERE p.account_id = t.account_id AND p.crossing = t.paused_crossing AND p.state = 'settled')`,
  });
}

/** One that may have to be topped up, as it was before its balance is asked for. */
export interface Watched extends TopUp {
  /** Of its last crossing, which has ended; 0: there was none. */
  lastNumber: bigint;
}

/** Those that are neither paused nor being charged, by account. */
export async function listWatched(
  db: Queryable,
  { afterId, nowMs, limit }: { afterId: string; nowMs: number; limit: number },
): Promise<Watched[]> {
  const { rows } = await db.query<TopUpRow & { last_number: bigint }>({
    name: 'list-watched',
    text: `
      SELECT ${COLUMNS}, coalesce(c.number, 0)::bigint AS last_number FROM payments.top_ups t
      LEFT JOIN LATERAL (
        SELECT number, state FROM payments.crossings WHERE account_id = t.account_id ORDER BY number DESC LIMIT 1
      ) c ON true
      WHERE t.account_id > $1 AND (t.pause_reason IS NULL OR t.paused_until_ms <= $2) AND c.state IS DISTINCT FROM 'open'
      ORDER BY t.account_id LIMIT $3`,
    values: [afterId, nowMs, limit],
  });
  return rows.map((row) => ({ ...fromRow(row), lastNumber: row.last_number }));
}

/** What was charged automatically since a time, with what is under way. */
export async function sumAutomatic(db: Queryable, accountId: string, sinceMs: number): Promise<bigint> {
  const { rows } = await db.query<{ sum: bigint }>({
    name: 'sum-automatic',
    text: `SELECT coalesce(sum(amount_nanos), 0)::bigint AS sum FROM payments.payments
           WHERE account_id = $1 AND crossing IS NOT NULL AND state <> 'failed' AND created_at_ms >= $2`,
    values: [accountId, sinceMs],
  });
  return onlyRow(rows, 'a sum is missing').sum;
}

/** Whether a payment of the account is disputed, and that is not decided, or not known to be. */
export async function hasOpenDispute(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'has-open-dispute',
    text: `
      SELECT FROM payments.movements m JOIN payments.payments p ON p.account_id = m.account_id AND p.payment_id = m.payment_id
      WHERE m.account_id = $1 AND m.kind = 'dispute' AND coalesce(p.has_open_dispute, p.next_check_ms IS NOT NULL) AND NOT EXISTS (
        SELECT FROM payments.movements won WHERE won.account_id = m.account_id AND won.movement_key = m.movement_key || ':won')
      LIMIT 1`,
    values: [accountId],
  });
  return (rowCount ?? 0) > 0;
}
