import { connect } from 'node:net';
import pg from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase } from './fresh-database.ts';
import { startPostgres } from './own-postgres.ts';
import { startRedis } from './own-redis.ts';

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

it('creates a separate empty database for every caller', async () => {
  const [first, second] = await Promise.all([freshDatabase(), freshDatabase()]);
  const client = new pg.Client({ connectionString: first.url });
  await client.connect();
  await client.query('CREATE TABLE only_here (id int)');
  await client.end();
  expect([await tables(first.url), await tables(second.url)]).toEqual([1, 0]);
  await Promise.all([first.drop(), second.drop()]);
  await expect(tables(first.url)).rejects.toThrow(/does not exist/);
});

async function canConnect(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const settle = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

it('stops a separate Redis and restarts it at the same address', async () => {
  const redis = await startRedis();
  expect(await canConnect(redis.url)).toBe(true);
  await redis.kill();
  expect(await canConnect(redis.url)).toBe(false);
  await redis.start();
  expect(await canConnect(redis.url)).toBe(true);
  await redis.stop();
  expect(await canConnect(redis.url)).toBe(false);
});

it('kills a separate Postgres, which restarts with all committed data', async () => {
  const postgres = await startPostgres();
  const client = new pg.Client({ connectionString: postgres.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('CREATE TABLE kept (id int)');
  await postgres.kill();
  await expect(tables(postgres.url)).rejects.toThrow();
  await postgres.start();
  expect(await tables(postgres.url)).toBe(1);
  await postgres.stop();
});
