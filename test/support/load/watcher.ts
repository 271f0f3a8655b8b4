import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const EVERY_MS = 15;
const RECONNECT_MS = 100;
const CONNECT_TIMEOUT_MS = 2_000;
/** Maximum number of kept findings. */
const MAX_KEPT = 20;

/** Rows that must never exist, with a description; read in one snapshot. */
const WRONG = `
  SELECT b.account_id, 'a side below zero' AS wrong FROM ledger.balances b WHERE b.available < 0 OR b.leased < 0
  UNION ALL
  SELECT b.account_id, 'sides that do not sum to zero' FROM ledger.balances b
    WHERE b.available + b.leased + b.revenue + b.deposits + b.adjustments + b.receivable + b.operator_loss + b.breakage <> 0
  UNION ALL
  SELECT l.account_id, 'a lease spent beyond its grant' FROM ledger.leases l WHERE l.granted < l.spent + l.returned
  UNION ALL
  SELECT b.account_id, 'leased is not what leases cover' FROM ledger.balances b
    WHERE b.leased <> (SELECT coalesce(sum(l.granted - l.spent - l.returned), 0) FROM ledger.leases l
                       WHERE l.account_id = b.account_id)`;

/** Polls the books, through every restart of the database. */
export class Watcher {
  readonly violations: string[] = [];
  looks = 0;
  reconnects = 0;
  /** The lowest observed total balance, in nano-dollars. */
  lowest: bigint | undefined;
  readonly #url: string;
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(databaseUrl: string) {
    this.#url = databaseUrl;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#watch();
      if (this.#stopped) return;
      this.reconnects += 1;
      await delay(RECONNECT_MS);
    }
  }

  /** Polls over one connection. */
  async #watch(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    // The running query reports it too.
    client.on('error', () => undefined);
    try {
      await client.connect();
      while (!this.#stopped) {
        await this.#look(client);
        await delay(EVERY_MS);
      }
    } catch (error) {
      if (error instanceof pg.DatabaseError && !isRestart(error)) this.#note(`the watcher: ${error.message}`);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async #look(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ account_id: string; wrong: string }>(WRONG);
    for (const row of rows) this.#note(`account ${row.account_id}: ${row.wrong}`);
    const totals = await client.query<{ lowest: string | null }>(
      'SELECT min(available + leased)::text AS lowest FROM ledger.balances',
    );
    const lowest = totals.rows[0]?.lowest;
    if (lowest != null && (this.lowest === undefined || BigInt(lowest) < this.lowest)) this.lowest = BigInt(lowest);
    this.looks += 1;
  }

  #note(violation: string): void {
    if (this.violations.length < MAX_KEPT) this.violations.push(violation);
  }
}

/** Classes 57P (shutting down, starting up) and 08 (connection). */
function isRestart(error: pg.DatabaseError): boolean {
  return error.code?.startsWith('57P') === true || error.code?.startsWith('08') === true;
}
