import pg from 'pg';
import { executeAt } from './postgres-server.ts';

/** Shifts the clock of one database for its services. */
export interface DatabaseClock {
  /** Sets the clock ahead by this many milliseconds, or back if negative. */
  shift: (ms: number) => Promise<void>;
}

/** Postgres's clock functions. */
const FUNCTIONS = [
  { name: 'clock_timestamp', volatility: 'VOLATILE' },
  { name: 'now', volatility: 'STABLE' },
];

/**
 * Overrides Postgres's clock functions for later connections with a matching `application_name`. Column defaults and
 * the machine's clock do not change.
 *
 * @param applicationName a LIKE pattern
 */
export async function shiftableClock(databaseUrl: string, applicationName = '%'): Promise<DatabaseClock> {
  const database = pg.escapeIdentifier(new URL(databaseUrl).pathname.slice(1));
  const functions = FUNCTIONS.map(
    ({ name, volatility }) => `
      CREATE FUNCTION shifted.${name}() RETURNS timestamptz LANGUAGE sql ${volatility} AS $$
        SELECT pg_catalog.${name}() + CASE
          WHEN current_setting('application_name') LIKE '${applicationName}' THEN (SELECT by FROM shifted.clock)
          ELSE '0' END $$;`,
  );
  // With a new connection each time, because the server may have restarted.
  await executeAt(
    databaseUrl,
    `CREATE SCHEMA shifted;
     CREATE TABLE shifted.clock (by interval NOT NULL);
     INSERT INTO shifted.clock VALUES ('0');
     ${functions.join('')}
     GRANT USAGE ON SCHEMA shifted TO PUBLIC;
     GRANT SELECT ON shifted.clock TO PUBLIC;
     ALTER DATABASE ${database} SET search_path = shifted, pg_catalog, public`,
  );
  return {
    shift: (ms) => executeAt(databaseUrl, `UPDATE shifted.clock SET by = ${Math.round(ms)} * interval '1 millisecond'`),
  };
}
