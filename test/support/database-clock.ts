import pg from 'pg';

/** Shifts the clock of one database, as its services read it. */
export interface DatabaseClock {
  /** Sets the clock ahead of the machine's by this many milliseconds, or behind it where negative. */
  shift: (ms: number) => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Puts functions named like those of the clock before Postgres' own. They hold for connections opened from then on, whose
 * `application_name` matches: column defaults and the machine's clock stay as they are.
 *
 * @param applicationName a LIKE pattern
 */
export async function shiftableClock(databaseUrl: string, applicationName = '%'): Promise<DatabaseClock> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tollgate-test' });
  await client.connect();
  const database = new URL(databaseUrl).pathname.slice(1);
  await client.query(`
    CREATE SCHEMA shifted;
    CREATE TABLE shifted.clock (by interval NOT NULL);
    INSERT INTO shifted.clock VALUES ('0');
    ${['clock_timestamp', 'now']
      .map(
        (name) => `CREATE FUNCTION shifted.${name}() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
          SELECT pg_catalog.${name}() + CASE
            WHEN current_setting('application_name') LIKE '${applicationName}' THEN (SELECT by FROM shifted.clock)
            ELSE '0' END $$;`,
      )
      .join('\n')}
    GRANT USAGE ON SCHEMA shifted TO PUBLIC;
    GRANT SELECT ON shifted.clock TO PUBLIC;
    ALTER DATABASE ${pg.escapeIdentifier(database)} SET search_path = shifted, pg_catalog, public`);
  return {
    shift: async (ms) => {
      await client.query(`UPDATE shifted.clock SET by = $1 * interval '1 millisecond'`, [ms]);
    },
    close: () => client.end(),
  };
}
