import type { Pool, PoolClient, Queryable } from '@tollgate/common/postgres/pool';

/** Indexes on tables without partitions, as the migrations create them in an empty ledger. */
const ON_TABLES: Readonly<Record<string, string>> = {
  usage_hourly_by_key: 'ledger.usage_hourly (account_id, key_id, start_ms)',
  usage_hourly_by_model: 'ledger.usage_hourly (account_id, model, start_ms)',
  usage_hourly_by_project: 'ledger.usage_hourly (account_id, project_id, start_ms)',
  usage_hourly_by_owner: 'ledger.usage_hourly (account_id, owner_id, start_ms) WHERE owner_id IS NOT NULL',
  usage_hourly_by_root_key: 'ledger.usage_hourly (account_id, root_key_id, start_ms) WHERE root_key_id IS NOT NULL',
  balances_with_loss: 'ledger.balances (operator_loss, account_id) WHERE operator_loss < 0',
};

/** Indexes on partitions, named after their table. The migrations create their parents. */
const ON_PARTITIONS = ['charges_by_client_session', 'charges_not_completed', 'transfers_expired'] as const;

const ALL = [...Object.keys(ON_TABLES), ...ON_PARTITIONS];

/** Whether all late indexes exist, on all partitions. Without them lists are searched more slowly, and no statement is issued. */
export async function hasLateIndexes(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ valid: bigint }>({
    name: 'count-late-indexes',
    text: `
      SELECT count(*) AS valid FROM pg_index
      WHERE indexrelid IN (SELECT to_regclass('ledger.' || name) FROM unnest($1::text[]) AS n (name)) AND indisvalid`,
    values: [ALL],
  });
  return Number(rows[0]?.valid ?? 0) === ALL.length;
}

/**
 * Builds the missing indexes without blocking settlements. One process at a time; an interrupted build starts over.
 *
 * @param signal aborts before the next index
 * @returns the names of the indexes that were built
 */
export async function buildLateIndexes(pool: Pool, signal: AbortSignal): Promise<string[]> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('tollgate-ledger-late-indexes', 0)) AS locked`,
    );
    if (rows[0]?.locked !== true) return [];
    // A build reads whole tables, and waits for the transactions that run when it starts.
    await client.query('SET statement_timeout = 0');
    const built: string[] = [];
    for (const missing of [...(await missingOnTables(client)), ...(await missingOnPartitions(client))]) {
      if (signal.aborted) break;
      await build(client, missing);
      built.push(missing.name);
    }
    return built;
  } finally {
    // The lock and the timeout end with the connection.
    client.release(true);
  }
}

interface MissingIndex {
  name: string;
  /** What follows `CREATE INDEX <name> ON`. */
  on: string;
  /** The index of the partitioned table to attach it to. */
  parent?: string;
}

async function build(client: PoolClient, { name, on, parent }: MissingIndex): Promise<void> {
  // An interrupted build leaves an invalid index.
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ledger.${name}`);
  await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
  if (parent !== undefined) await client.query(`ALTER INDEX ledger.${parent} ATTACH PARTITION ledger.${name}`);
}

async function missingOnTables(client: PoolClient): Promise<MissingIndex[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS n (name)
     WHERE NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('ledger.' || name) AND indisvalid)`,
    [Object.keys(ON_TABLES)],
  );
  return rows.flatMap(({ name }) => {
    const on = ON_TABLES[name];
    return on === undefined ? [] : [{ name, on }];
  });
}

/** The partitions without a part of an index, newest first: those are read and written most. */
async function missingOnPartitions(client: PoolClient): Promise<MissingIndex[]> {
  const { rows } = await client.query<{ parent: string; partition: string; definition: string }>(
    `SELECT i.relname AS parent, p.relname AS partition, pg_get_indexdef(i.oid) AS definition
     FROM pg_class i
     JOIN pg_index x ON x.indexrelid = i.oid
     JOIN pg_inherits h ON h.inhparent = x.indrelid
     JOIN pg_class p ON p.oid = h.inhrelid
     WHERE i.oid = ANY ($1::regclass[]) AND NOT EXISTS (
       SELECT FROM pg_inherits part JOIN pg_index y ON y.indexrelid = part.inhrelid
       WHERE part.inhparent = i.oid AND y.indrelid = p.oid
     )
     ORDER BY p.relname DESC, i.relname`,
    [ON_PARTITIONS.map((name) => `ledger.${name}`)],
  );
  return rows.map(({ parent, partition, definition }) => {
    const columns = definition.slice(definition.indexOf(' USING '));
    const suffix = parent.slice(parent.indexOf('_'));
    return { name: `${partition}${suffix}`, on: `ledger.${partition}${columns}`, parent };
  });
}

/** Remembers once the late indexes exist. */
export class LateIndexes {
  readonly #db: Queryable;
  #exist = false;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async exist(): Promise<boolean> {
    this.#exist ||= await hasLateIndexes(this.#db);
    return this.#exist;
  }
}
