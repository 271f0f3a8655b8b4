import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Booked } from './judge-charge.ts';

const INT8_OID = 20;
/** Charges are posted within a second of their responses; a busy machine takes longer. */
const POSTED_WITHIN_MS = 10_000;

/** Reads the ledger's tables, independently of its API. */
export class Books {
  readonly pool: pg.Pool;

  constructor(databaseUrl: string) {
    this.pool = new pg.Pool({
      connectionString: databaseUrl,
      max: 2,
      types: { getTypeParser: (oid, format) => (oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) },
    });
    this.pool.on('error', () => undefined);
  }

  /** The charges of requests, after waiting until all due ones are posted or the time is over. */
  async charges(due: readonly string[], others: readonly string[]): Promise<Booked[]> {
    const until = performance.now() + POSTED_WITHIN_MS;
    for (;;) {
      const { rows } = await this.pool.query<Booked>(
        `SELECT request_id AS "requestId", account_id AS "accountId", model, status::text, streamed,
                usage_estimated AS estimated, hold_nanos AS "holdNanos", cost_nanos AS "costNanos",
                charged_nanos AS "chargedNanos", lines
         FROM ledger.charges WHERE request_id = ANY($1::uuid[])`,
        [[...due, ...others]],
      );
      const there = new Set(rows.map((row) => row.requestId));
      if (due.every((id) => there.has(id)) || performance.now() > until) return rows;
      await delay(100);
    }
  }

  async sums(accountId: string): Promise<{ charged: bigint; available: bigint; leased: bigint }> {
    const { rows } = await this.pool.query<{ charged: bigint; available: bigint; leased: bigint }>(
      `SELECT available, leased,
              (SELECT coalesce(sum(charged_nanos), 0)::bigint FROM ledger.charges WHERE account_id = $1) AS charged
       FROM ledger.balances WHERE account_id = $1`,
      [accountId],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`unknown account ${accountId}`);
    return row;
  }

  /** Charges that the ledger quarantined. */
  async quarantined(): Promise<unknown[]> {
    const { rows } = await this.pool.query('SELECT account_id, request_id, reason FROM ledger.quarantine');
    return rows;
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
