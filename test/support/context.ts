/** What the global set-up hands to the test files. */
export interface Servers {
  /** Superuser (or at least CREATEDB) connection to the shared Postgres. */
  databaseUrl: string;
  /** The shared Redis. */
  redisUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: Servers;
  }
}
