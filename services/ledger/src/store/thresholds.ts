import { BEFORE_ALL } from '@tollgate/common/ids';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { arrayText } from './batch.ts';

export interface KnownThresholds {
  /** Nano-dollars, highest first. */
  thresholds: bigint[];
  /** Whether they are the account's own, not the default ones. */
  own: boolean;
}

/** The thresholds of an account: its own, or the default ones. */
export async function readThresholds(db: Queryable, accountId: string): Promise<KnownThresholds> {
  const { rows } = await db.query<{ thresholds: string[]; own: boolean }>({
    name: 'read-thresholds',
    text: `
      SELECT coalesce(t.thresholds, d.thresholds) AS thresholds, t.account_id IS NOT NULL AS own
      FROM ledger.default_thresholds d LEFT JOIN ledger.thresholds t ON t.account_id = $1`,
    values: [accountId],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('the row of default thresholds is missing');
  return { thresholds: highestFirst(row.thresholds), own: row.own };
}

/** Parses and sorts a bigint[], which the Postgres client returns as texts. */
export function highestFirst(texts: readonly string[]): bigint[] {
  return texts.map(BigInt).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
}

export interface ThresholdState {
  accountId: string;
  /** Available and leased, nano-dollars. */
  balance: bigint;
  notifyBelow: bigint | null;
  /** The account's own, or the default ones; highest first. */
  thresholds: bigint[];
}

/** Reads the threshold state of accounts, without unknown ones. The balances must be locked. */
export async function readThresholdStates(
  client: PoolClient,
  accountIds: readonly string[],
): Promise<ThresholdState[]> {
  const { rows } = await client.query<{
    account_id: string;
    balance: bigint;
    notify_below: bigint | null;
    thresholds: string[];
  }>({
    name: 'read-threshold-states',
    text: `
      SELECT b.account_id::text, b.available + b.leased AS balance, b.notify_below,
             coalesce(t.thresholds, d.thresholds) AS thresholds
      FROM ledger.balances b
      CROSS JOIN ledger.default_thresholds d
      LEFT JOIN ledger.thresholds t ON t.account_id = b.account_id
      WHERE b.account_id = ANY ($1::uuid[])`,
    values: [arrayText(accountIds)],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    balance: row.balance,
    notifyBelow: row.notify_below,
    thresholds: highestFirst(row.thresholds),
  }));
}

/** Sets an account's own thresholds. Its balance must be locked. */
export async function writeThresholds(
  client: PoolClient,
  accountId: string,
  thresholds: readonly bigint[],
): Promise<void> {
  await client.query({
    name: 'write-thresholds',
    text: `
      INSERT INTO ledger.thresholds (account_id, thresholds) VALUES ($1, $2)
      ON CONFLICT (account_id) DO UPDATE SET thresholds = excluded.thresholds`,
    values: [accountId, thresholds],
  });
}

/** Removes an account's own thresholds. Its balance must be locked. */
export async function dropThresholds(client: PoolClient, accountId: string): Promise<void> {
  await client.query({
    name: 'drop-thresholds',
    text: 'DELETE FROM ledger.thresholds WHERE account_id = $1',
    values: [accountId],
  });
}

/** Saves the default thresholds and restarts their application to all accounts. @returns false if they are unchanged */
export async function writeDefaultThresholds(db: Queryable, thresholds: readonly bigint[]): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'write-default-thresholds',
    text: `
      UPDATE ledger.default_thresholds SET thresholds = $1, rearm_after = $2 WHERE thresholds IS DISTINCT FROM $1::bigint[]`,
    values: [thresholds, BEFORE_ALL],
  });
  return rowCount === 1;
}

/** The account up to which changed default thresholds are applied; undefined when they are applied to all. */
export async function readRearmProgress(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ rearm_after: string | null }>({
    name: 'read-rearm-progress',
    text: 'SELECT rearm_after::text FROM ledger.default_thresholds',
  });
  return rows[0]?.rearm_after ?? undefined;
}

/** As readRearmProgress, with a lock that keeps other replicas from applying them. Lock the balances before. */
export async function lockRearmProgress(client: PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ rearm_after: string | null }>({
    name: 'lock-rearm-progress',
    text: 'SELECT rearm_after::text FROM ledger.default_thresholds FOR UPDATE',
  });
  return rows[0]?.rearm_after ?? undefined;
}

/** Saves the account up to which they are applied; undefined: all. The progress must be locked. */
export async function writeRearmProgress(client: PoolClient, after: string | undefined): Promise<void> {
  await client.query({
    name: 'write-rearm-progress',
    text: 'UPDATE ledger.default_thresholds SET rearm_after = $1',
    values: [after],
  });
}
