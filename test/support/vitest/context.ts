/** Values that the global setup provides to test files. */
export interface Servers {
  /** Superuser (or at least CREATEDB) connection to the shared Postgres. */
  databaseUrl: string;
  /** A template database of that Postgres with all migrations. */
  templateDatabase: string;
  /** The shared Redis. */
  redisUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: Servers;
  }
}
