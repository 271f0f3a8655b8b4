import { minBigInt } from '@tollgate/common/money';
import pg from 'pg';

/** The ledger accounts of one account, in nano-dollars. */
export interface Books {
  available: bigint;
  leased: bigint;
  revenue: bigint;
  deposits: bigint;
  operatorLoss: bigint;
}

/** Reads the ledger's tables, independently of its API. */
export class Auditor {
  readonly #pool: pg.Pool;

  constructor(databaseUrl: string) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  }

  async books(accountId: string): Promise<Books> {
    const { rows } = await this.#pool.query<Record<string, string>>(
      'SELECT available, leased, revenue, deposits, operator_loss FROM ledger.balances WHERE account_id = $1',
      [accountId],
    );
    const side = (name: string) => BigInt(rows[0]?.[name] ?? '0');
    return {
      available: side('available'),
      leased: side('leased'),
      revenue: side('revenue'),
      deposits: side('deposits'),
      operatorLoss: side('operator_loss'),
    };
  }

  /** Sum of all ledger accounts: 0 if the books are balanced. */
  async total(): Promise<bigint> {
    const { rows } = await this.#pool.query<{ total: string | null }>(
      `SELECT sum(available + leased + revenue + deposits + adjustments + receivable + operator_loss + breakage)::text AS total
       FROM ledger.balances`,
    );
    return BigInt(rows[0]?.total ?? '0');
  }

  /** Charges that the ledger quarantined. */
  async quarantined(): Promise<number> {
    const { rows } = await this.#pool.query('SELECT 1 FROM ledger.quarantine');
    return rows.length;
  }

  /** Polls the account until `stop` is called, which resolves with the lowest balance. */
  watch(accountId: string): { stop: () => Promise<bigint> } {
    let stopped = false;
    let lowest: bigint | undefined;
    const watching = (async () => {
      while (!stopped) {
        const { available, leased } = await this.books(accountId);
        const min = minBigInt(available, leased);
        if (lowest === undefined || min < lowest) lowest = min;
      }
    })();
    return {
      stop: async () => {
        stopped = true;
        await watching;
        if (lowest === undefined) throw new Error('no balance was read');
        return lowest;
      },
    };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
