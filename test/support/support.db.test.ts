import pg from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase } from './index.ts';

async function tables(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`);
    return rows.length;
  } finally {
    await client.end();
  }
}

it('gives every caller an empty database of its own', async () => {
  const [first, second] = await Promise.all([freshDatabase(), freshDatabase()]);
  const client = new pg.Client({ connectionString: first.url });
  await client.connect();
  await client.query('CREATE TABLE only_here (id int)');
  await client.end();
  expect([await tables(first.url), await tables(second.url)]).toEqual([1, 0]);
  await Promise.all([first.drop(), second.drop()]);
  await expect(tables(first.url)).rejects.toThrow(/does not exist/);
});
