import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLogger } from '../logging.ts';
import { BinaryWriter, uuidArray } from './binary-writer.ts';
import { BINARY_COPY_HEADER, BINARY_COPY_TRAILER } from './copy-in.ts';
import { runPipeline } from './pipeline.ts';
import { createPool, inTransaction, type Pool, type PoolClient } from './pool.ts';

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

const copyIn = (client: PoolClient, name: string, text: string, copied: Uint8Array) =>
  runPipeline(client, [{ name, text, values: [], copied, read: () => undefined }]);
const copyRows = (client: PoolClient, rows: string) =>
  copyIn(client, 'copy-rows', 'COPY rows (id, text) FROM STDIN', Buffer.from(rows));
const copy = (rows: string) => inTransaction(pool, (client) => copyRows(client, rows));

it('stores values of every kind in the binary format as they are', async () => {
  await pool.query(
    `CREATE TABLE kinds (a uuid, b uuid, c bigint, d int, e boolean, f text, g jsonb, h bytea, i timestamptz DEFAULT now())`,
  );
  const ids = ['0190f4a8-9abc-7def-8012-3456789abcde', 'FFFFFFFF-0000-4000-A000-00000000000F'];
  const texts = ['', 'a\tb\nc\rd\\e', '\\N', 'ünï€😀', '"{,}\''];
  const longs = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
  const ints = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)];
  const rows = texts.map((text, index) => ({
    a: ids[index % 2]?.toLowerCase(),
    b: ids[(index + 1) % 2]?.toLowerCase(),
    c: longs[index] ?? 0n,
    d: ints[index] ?? 0,
    e: index % 2 === 0,
    f: text,
    g: { text, list: [index] },
    h: Buffer.from([0, index, 0xab, 0xff]),
  }));
  // So small that it has to grow.
  const writer = new BinaryWriter(1);
  writer.raw(BINARY_COPY_HEADER);
  for (const [index, row] of rows.entries()) {
    writer.int16(8);
    writer.uuid(ids[index % 2] ?? '');
    writer.uuid((ids[(index + 1) % 2] ?? '').replaceAll('-', ''));
    writer.int8(row.c);
    writer.int4(row.d);
    writer.bool(row.e);
    writer.text(row.f);
    writer.jsonb(JSON.stringify(row.g));
    writer.bytea(row.h.toString('hex'));
  }
  writer.raw(BINARY_COPY_TRAILER);
  await inTransaction(pool, (client) =>
    copyIn(client, 'copy-kinds', 'COPY kinds (a, b, c, d, e, f, g, h) FROM STDIN (FORMAT binary)', writer.take()),
  );
  const stored = await pool.query('SELECT a::text, b::text, c, d, e, f, g, h FROM kinds ORDER BY h');
  expect(stored.rows).toEqual(rows);
});

it('takes arrays of UUIDs that were written before', async () => {
  const ids = ['0190f4a8-9abc-7def-8012-3456789abcde', 'ffffffff-0000-4000-a000-00000000000f'];
  const holders = ids.map((id) => {
    const writer = new BinaryWriter();
    writer.bool(true);
    writer.uuid(id);
    return writer.take();
  });
  const array = (of: Buffer[]) => pool.query('SELECT $1::uuid[]::text[] AS ids', [uuidArray(of, 5)]);
  expect((await array(holders)).rows).toEqual([{ ids }]);
  expect((await array([])).rows).toEqual([{ ids: [] }]);
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
  await expect(copyRows(client, '1\ta\n')).rejects.toThrow();
  client.release(true);
});
