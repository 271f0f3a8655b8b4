import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Writes the thresholds of all accounts without their own, and that accounts are to be armed anew. False: they are these. */
export async function writeDefaultThresholds(db: Queryable, thresholds: readonly bigint[]): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'write-default-thresholds',
    text: `
      UPDATE ledger.default_thresholds SET thresholds = $1, arm_after = $2 WHERE thresholds IS DISTINCT FROM $1::bigint[]`,
    values: [thresholds, BEFORE_ALL],
  });
  return rowCount === 1;
}

/** The account up to which all were armed anew; undefined when all are. */
export async function readArming(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ arm_after: string | null }>({
    name: 'read-arming',
    text: 'SELECT arm_after::text FROM ledger.default_thresholds',
  });
  return rows[0]?.arm_after ?? undefined;
}

/** As readArming; nobody else arms accounts or changes these thresholds until the transaction ends. After the balances. */
export async function lockArming(client: PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ arm_after: string | null }>({
    name: 'lock-arming',
    text: 'SELECT arm_after::text FROM ledger.default_thresholds FOR UPDATE',
  });
  return rows[0]?.arm_after ?? undefined;
}

/** Notes that accounts up to this one are armed anew; undefined: all are. It must be locked. */
export async function setArming(client: PoolClient, after: string | undefined): Promise<void> {
  await client.query({
    name: 'set-arming',
    text: 'UPDATE ledger.default_thresholds SET arm_after = $1',
    values: [after],
  });
}
