import type { Queryable } from '@tollgate/common/postgres/pool';

export interface KnownThresholds {
  /** Nano-dollars, highest first. */
  thresholds: bigint[];
  /** Whether they are the account's own, not those of all accounts. */
  own: boolean;
}

/** The thresholds that hold for an account. */
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

/** Reads a bigint[], which the Postgres client gives as texts. */
export function highestFirst(texts: readonly string[]): bigint[] {
  return texts.map(BigInt).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
}
