import pg from 'pg';
import { Backoff } from '../backoff.ts';
import type { Logger } from '../logging.ts';

export interface ListenerOptions {
  url: string;
  /** A plain lower-case name. */
  channel: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Gets the payload of each notification, including those sent over this connection. */
  received: (payload: string) => void;
  /** Time limit of a statement on the connection; after it the connection is abandoned. */
  statementTimeoutMs?: number;
}

const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 5_000;
/** How often an idle connection is probed: nothing else shows that its peer has vanished. */
const PROBE_INTERVAL_MS = 10_000;

/**
 * A connection of its own that listens on a channel and reconnects whenever it breaks. Notifications sent meanwhile are
 * lost, and so are session locks held on it. By hand because `pg` leaves reconnecting to its users.
 */
export class PostgresListener {
  readonly #options: ListenerOptions;
  readonly #logger: Logger;
  readonly #firstAttempt = Promise.withResolvers<void>();
  #client: pg.Client | undefined;
  readonly #backoff = new Backoff(RECONNECT_MIN_MS, RECONNECT_MAX_MS);
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** The last statement: they run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ListenerOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
  }

  /** Whether it listens now. */
  get up(): boolean {
    return this.#client !== undefined;
  }

  /** Starts to listen. Resolves when it listens or the first attempt has failed; attempts continue. */
  start(): Promise<void> {
    this.#connect();
    return this.#firstAttempt.promise;
  }

  /**
   * Runs a statement on the connection, after earlier ones. One that fails because of the connection abandons it.
   *
   * @throws Error while there is no connection, and errors of Postgres
   */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const run = this.#last.then(() => this.#query<Row>(text, values));
    this.#last = run.catch(() => undefined);
    return run;
  }

  async #query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const client = this.#client;
    if (client === undefined) throw new Error('the listening connection is down');
    try {
      return (await client.query<Row>(text, values)).rows;
    } catch (error) {
      // An error of Postgres leaves the connection usable; any other, such as a timeout, does not.
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
    this.#backoff.reset();
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
    this.#timer = setTimeout(() => this.#connect(), this.#backoff.next());
    this.#timer.unref();
  }
}
