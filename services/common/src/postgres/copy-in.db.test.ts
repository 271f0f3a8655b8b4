import { freshDatabase } from '@tollgate/test/support';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLogger } from '../logging.ts';
import { copyIn, copyText } from './copy-in.ts';
import { createPool, inTransaction, type Pool } from './pool.ts';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  pool = createPool({ url: database.url, size: 1, applicationName: 'test' }, createLogger('test', 'silent'));
  drop = async () => {
    await pool.end();
    await database.drop();
  };
  await pool.query('CREATE TABLE rows (id int PRIMARY KEY, text text NOT NULL)');
});
afterAll(() => drop());
beforeEach(async () => {
  await pool.query('TRUNCATE rows');
});

const copy = (rows: string) => inTransaction(pool, (client) => copyIn(client, 'COPY rows (id, text) FROM STDIN', rows));

it('stores texts as they are', async () => {
  const texts = ['', 'plain', '\\N', '\\.', 'a\tb\nc\rd\\e', '\\\\', 'ünï€😀', '"{,}\''];
  await copy(texts.map((text, index) => `${index}\t${copyText(text)}\n`).join(''));
  const { rows } = await pool.query<{ text: string }>('SELECT text FROM rows ORDER BY id');
  expect(rows.map((row) => row.text)).toEqual(texts);
});

it('stores more than fits into one packet', async () => {
  await copy(Array.from({ length: 20_000 }, (_, index) => `${index}\t${'x'.repeat(100)}\n`).join(''));
  const { rows } = await pool.query('SELECT count(*)::int, sum(length(text))::int AS length FROM rows');
  expect(rows).toEqual([{ count: 20_000, length: 2_000_000 }]);
});

it('fails with the error of the database, rolls back, and leaves the connection fit for use', async () => {
  await expect(copy('1\ta\n1\tb\n')).rejects.toMatchObject({ code: '23505', constraint: 'rows_pkey' });
  await expect(copy('1\ta\nnone\tb\n')).rejects.toMatchObject({ code: '22P02' });
  await expect(copy('1\n')).rejects.toMatchObject({ code: '22P04' });
  await copy('1\ta\n');
  const { rows } = await pool.query('SELECT id, text FROM rows');
  expect(rows).toEqual([{ id: 1, text: 'a' }]);
});

it('fails when the connection is lost', async () => {
  const client = await pool.connect();
  client.on('error', () => undefined);
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await client.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]).catch(() => undefined);
  await expect(copyIn(client, 'COPY rows (id, text) FROM STDIN', '1\ta\n')).rejects.toThrow();
  client.release(true);
});
