import pg from 'pg';

/** The address of a database next to the one that an address names. */
export function urlOfDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs statements on a connection of its own. */
export async function executeAt(databaseUrl: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tollgate-test' });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
