import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createPool, inTransaction } from './pool.ts';

it('a connection lost between two statements fails the transaction, and nothing else', async () => {
  const database = await freshDatabase();
  const pool = createPool({ url: database.url, size: 2, applicationName: 'test' }, pino({ enabled: false }));
  const lost = inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await client.query('SELECT 1');
  });
  await expect(lost).rejects.toThrow();
  expect(await inTransaction(pool, async (client) => (await client.query('SELECT 1')).rows.length)).toBe(1);
  await pool.end();
  await database.drop();
});
