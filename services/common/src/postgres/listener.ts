import pg from 'pg';
import type { Logger } from '../logging.ts';

export interface ListenerOptions {
  url: string;
  /** A plain lower-case name. */
  channel: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Told the payload of each notification, those sent over this connection too. */
  received: (payload: string) => void;
  /** Longest a statement on the connection may take before the connection is given up. */
  statementTimeoutMs?: number;
}

const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 5_000;
/** How often an idle connection is checked: one whose other end vanished would otherwise never notice. */
const PROBE_INTERVAL_MS = 10_000;

/**
 * A connection of its own that listens on a channel, and opens anew whenever it breaks. What was notified meanwhile is
 * lost. Locks of the session level can be held on it, and are gone with it.
 */
export class PostgresListener {
  readonly #options: ListenerOptions;
  readonly #logger: Logger;
  readonly #firstAttempt = Promise.withResolvers<void>();
  #client: pg.Client | undefined;
  #delayMs = RECONNECT_MIN_MS;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** The statement before: they run one after the other. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(options: ListenerOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
  }

  /** Whether it listens now. */
  get up(): boolean {
    return this.#client !== undefined;
  }

  /** Begins to listen. Resolves when it does or the first attempt has failed; attempts go on. */
  start(): Promise<void> {
    this.#connect();
    return this.#firstAttempt.promise;
  }

  /**
   * Runs a statement on the connection, after those before it. One that fails for want of the connection gives it up.
   *
   * @throws Error while there is no connection, and what Postgres says
   */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const run = this.#before.then(() => this.#query<Row>(text, values));
    this.#before = run.catch(() => undefined);
    return run;
  }

  async #query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const client = this.#client;
    if (client === undefined) throw new Error('the listening connection is down');
    try {
      return (await client.query<Row>(text, values)).rows;
    } catch (error) {
      // An error of Postgres has a code and leaves the connection usable; any other, a timeout among them, does not.
      if (!(error instanceof pg.DatabaseError)) this.#lose(client, error);
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  #connect(): void {
    if (this.#stopped) return;
    const { url, channel, applicationName, statementTimeoutMs = 2_000 } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      query_timeout: statementTimeoutMs,
      keepAlive: true,
    });
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('the connection ended')));
    client.on('notification', ({ payload }) => {
      if (client === this.#client && payload !== undefined) this.#options.received(payload);
    });
    const listen = async () => {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    };
    listen().then(
      () => this.#connected(client),
      (error: unknown) => this.#failed(client, error),
    );
  }

  #connected(client: pg.Client): void {
    if (this.#stopped) {
      client.end().catch(() => undefined);
      return;
    }
    this.#client = client;
    this.#delayMs = RECONNECT_MIN_MS;
    this.#firstAttempt.resolve();
    this.#probeLater();
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => {
      this.query('SELECT 1', []).then(
        () => this.#probeLater(),
        () => undefined,
      );
    }, PROBE_INTERVAL_MS);
    this.#timer.unref();
  }

  #lose(client: pg.Client, error: unknown): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    this.#failed(client, error);
  }

  #failed(client: pg.Client, error: unknown): void {
    this.#firstAttempt.resolve();
    client.end().catch(() => undefined);
    if (this.#stopped) return;
    this.#logger.warn({ err: error, channel: this.#options.channel }, 'the listening Postgres connection is down');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), this.#delayMs);
    this.#timer.unref();
    this.#delayMs = Math.min(this.#delayMs * 2, RECONNECT_MAX_MS);
  }
}
