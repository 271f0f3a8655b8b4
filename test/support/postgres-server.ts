import pg from 'pg';

/** The address of a database beside the one that an address names. */
export function urlOfDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on a connection of its own. */
export async function executeAt(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tollgate-test' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
