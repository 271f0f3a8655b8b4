/** A server that tests use, wherever it came from. */
export interface Server {
  url: string;
  /** Where it came from, for humans. */
  origin: string;
  stop: () => Promise<void>;
}

/** What tests ask of a Postgres: many small databases at once. */
export const POSTGRES_MAX_CONNECTIONS = 300;
