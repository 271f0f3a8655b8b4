/** What the global set-up hands to the test files. */
export interface Servers {
  /** Superuser (or at least CREATEDB) connection to the shared Postgres. */
  databaseUrl: string;
  /** A database of that Postgres that all migrations have been run on, to be copied. */
  templateDatabase: string;
  /** The shared Redis. */
  redisUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: Servers;
  }
}
