import pg from 'pg';

/** The URL of another database on the same server. */
export function urlOfDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs statements on a new connection. */
export async function executeAt(databaseUrl: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tollgate-test' });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
