import pg from 'pg';
import type { Booked } from './judge.ts';

const INT8_OID = 20;

/** The ledger accounts of one account, in nano-dollars. */
export interface Balance {
  accountId: string;
  available: bigint;
  leased: bigint;
  deposits: bigint;
  revenue: bigint;
  operatorLoss: bigint;
}

/** Reads the ledger's tables, independently of its API. */
export class Books {
  readonly pool: pg.Pool;

  constructor(databaseUrl: string) {
    this.pool = new pg.Pool({
      connectionString: databaseUrl,
      max: 1,
      types: { getTypeParser: (oid, format) => (oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) },
    });
    this.pool.on('error', () => undefined);
  }

  async charges(): Promise<Booked[]> {
    const { rows } = await this.pool.query(
      `SELECT account_id AS "accountId", request_id AS "requestId", charged_nanos AS "chargedNanos",
              cost_nanos AS "costNanos", hold_nanos AS "holdNanos",
              (SELECT coalesce(jsonb_object_agg(line ->> 0, (line ->> 1)::numeric), '{}')
               FROM jsonb_array_elements(lines) line) AS usage
       FROM ledger.charges`,
    );
    return rows;
  }

  /** Those of these requests without a charge. */
  async uncharged(requestIds: readonly string[]): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT id FROM unnest($1::uuid[]) AS id
       WHERE NOT EXISTS (SELECT FROM ledger.charges c WHERE c.request_id = id)`,
      [requestIds],
    );
    return rows.map((row) => row.id);
  }

  async balances(): Promise<Balance[]> {
    const { rows } = await this.pool.query(
      `SELECT account_id AS "accountId", available, leased, deposits, revenue, operator_loss AS "operatorLoss"
       FROM ledger.balances`,
    );
    return rows;
  }

  /** Charges that the ledger quarantined. */
  async quarantined(): Promise<unknown[]> {
    const { rows } = await this.pool.query('SELECT account_id, request_id, reason FROM ledger.quarantine');
    return rows;
  }

  /** Counts sessions that expired or never ended; those of a graceful stop are closed. */
  async sessions(): Promise<{ state: string; ended_by: string | null; count: bigint }[]> {
    const { rows } = await this.pool.query(
      'SELECT state::text, ended_by, count(*) FROM ledger.sessions GROUP BY 1, 2 ORDER BY 1, 2',
    );
    return rows;
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
