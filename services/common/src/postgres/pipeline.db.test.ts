import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logging.ts';
import { runPipeline, type Statement } from './pipeline.ts';
import { createPool, inOwnTransaction, type Pool } from './pool.ts';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  pool = createPool({ url: database.url, size: 1, applicationName: 'test' }, createLogger('test', 'silent'));
  drop = async () => {
    await pool.end();
    await database.drop();
  };
  await pool.query('CREATE TABLE rows (id int PRIMARY KEY, text text)');
});
afterAll(() => drop());
beforeEach(async () => {
  await pool.query('TRUNCATE rows');
});

const nothing = () => undefined;
const insert = (id: string, text: string | null = null): Statement<void> => ({
  name: 'insert',
  text: 'INSERT INTO rows (id, text) VALUES ($1, $2)',
  values: [id, text],
  read: nothing,
});
const copy = (rows: string): Statement<void> => ({
  name: 'copy',
  text: 'COPY rows (id, text) FROM STDIN',
  values: [],
  copied: Buffer.from(rows),
  read: nothing,
});
const list: Statement<(string | null)[]> = {
  name: 'list',
  text: 'SELECT id, text FROM rows ORDER BY id',
  values: [],
  read: (rows) => rows.flat(),
};
const stored = async () =>
  (await pool.query<{ id: number }>('SELECT id FROM rows ORDER BY id')).rows.map(({ id }) => id);

describe('a pipeline', () => {
  it('runs its statements in order, copies rows among them, and gives each its result', async () => {
    for (const first of [10, 20]) {
      const results = await inOwnTransaction(pool, async (client) => {
        await runPipeline(client, [insert(`${first}`, 'ü"\\'), copy(`${first + 1}\t\\N\n`)], 'begin');
        return await runPipeline(client, [list, insert(`${first + 2}`), list], 'commit');
      });
      expect(results[0].slice(-4)).toEqual([`${first}`, 'ü"\\', `${first + 1}`, null]);
      expect(results[2].slice(-2)).toEqual([`${first + 2}`, null]);
    }
    expect(await stored()).toEqual([10, 11, 12, 20, 21, 22]);
  });

  it('sees what others committed before each of its statements', async () => {
    const other = createPool(
      { ...pool.options, url: pool.options.connectionString ?? '', size: 1, applicationName: 'test' },
      createLogger('test', 'silent'),
    );
    await pool.query(`INSERT INTO rows VALUES (1, 'old')`);
    const holder = await other.connect();
    await holder.query('BEGIN');
    await holder.query(`UPDATE rows SET text = 'new' WHERE id = 1`);
    const lock: Statement<void> = {
      name: 'lock',
      text: 'SELECT FROM rows WHERE id = 1 FOR UPDATE',
      values: [],
      read: nothing,
    };
    const reading = inOwnTransaction(pool, async (client) => {
      const results = await runPipeline(client, [lock, list], 'begin');
      await runPipeline(client, [], 'commit');
      return results;
    });
    for (;;) {
      const { rows } = await holder.query('SELECT FROM pg_locks WHERE NOT granted');
      if (rows.length > 0) break;
    }
    await holder.query('INSERT INTO rows VALUES (2, NULL)');
    await holder.query('COMMIT');
    expect((await reading)[1]).toEqual(['1', 'new', '2', null]);
    holder.release();
    await other.end();
  });

  it('runs nothing after a statement that fails, commits nothing, and leaves the connection fit for use', async () => {
    const failing = (statements: readonly Statement<unknown>[]) =>
      inOwnTransaction(pool, async (client) => {
        await runPipeline(client, [insert('1')], 'begin');
        await runPipeline(client, statements, 'commit');
      });
    await expect(failing([insert('1'), copy('2\tb\n')])).rejects.toMatchObject({ code: '23505' });
    await expect(failing([copy('2\tb\nnone\tc\n'), insert('3')])).rejects.toMatchObject({ code: '22P02' });
    await expect(
      failing([{ ...list, name: 'wrong', text: 'SELECT missing FROM rows' }, insert('3')]),
    ).rejects.toMatchObject({
      code: '42703',
    });
    expect(await stored()).toEqual([]);
    await failing([copy('2\tb\n'), insert('3')]);
    expect(await stored()).toEqual([1, 2, 3]);
  });

  it('fails when the connection is lost', async () => {
    const client = await pool.connect();
    client.on('error', nothing);
    const end: Statement<void> = {
      name: 'end',
      text: 'SELECT pg_terminate_backend(pg_backend_pid())',
      values: [],
      read: nothing,
    };
    await expect(runPipeline(client, [end, list])).rejects.toThrow();
    client.release(true);
  });
});
