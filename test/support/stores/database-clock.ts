import pg from 'pg';
import { executeAt } from './postgres-server.ts';

/** Shifts the clock of one database, as its services read it. */
export interface DatabaseClock {
  /** Sets the clock ahead of the machine's by this many milliseconds, or behind it where negative. */
  shift: (ms: number) => Promise<void>;
}

/** What Postgres calls its clock. */
const FUNCTIONS = [
  { name: 'clock_timestamp', volatility: 'VOLATILE' },
  { name: 'now', volatility: 'STABLE' },
];

/**
 * Puts functions named like those of the clock before Postgres' own. They hold for connections opened from then on, whose
 * `application_name` matches: column defaults and the machine's clock stay as they are.
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
  // On a connection of its own each time, as the server may have been restarted since the last.
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
