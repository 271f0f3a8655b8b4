/** A server for tests. */
export interface Server {
  url: string;
  /** Its origin, in words. */
  origin: string;
  stop: () => Promise<void>;
}

/** Settings of Postgres for tests with many small databases. */
export const POSTGRES_MAX_CONNECTIONS = 300;
