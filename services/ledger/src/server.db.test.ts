import type { Service } from '@tollgate/common/grpc/service';
import { type Health, startHealth } from '@tollgate/common/health';
import { migrate } from '@tollgate/common/postgres/migrate';
import { ACTOR_SETTINGS } from '@tollgate/common/testing/actors';
import { type FreshDatabase, freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silent } from '../testing/ledger-fixture.ts';
import { configSchema } from './config.ts';
import { createDependencies } from './dependencies.ts';
import { MIGRATIONS_FOLDER } from './folders.ts';
import { createServer } from './server.ts';
import { SCHEMA } from './store/schema.ts';

const WAIT = { timeout: 30_000, interval: 50 };

let database: FreshDatabase;
let endpoint: Health;
let server: Service;
let started: Promise<void>;
beforeEach(async () => {
  database = await freshDatabase();
  const settings = {
    DATABASE_URL: database.url,
    GRPC_PORT: 0,
    HEALTH_PORT: 0,
    LISTEN_HOST: '127.0.0.1',
    AUTH_ADDRESS: '127.0.0.1:1',
    ...ACTOR_SETTINGS,
  };
  endpoint = await startHealth('127.0.0.1', 0);
  server = createServer(createDependencies(configSchema.parse(settings), silent), endpoint);
  started = server.start();
});
afterEach(async () => {
  for (const { run } of server.stopSteps) await run();
  await database.drop();
});

async function health(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${endpoint.port}/health/${path}`);
  return { status: response.status, body: await response.json() };
}

it('is live and not ready until its schema exists, and reports why', async () => {
  const reason = 'schema ledger does not exist; run the migrations first';
  await vi.waitFor(async () => {
    expect(await health('ready')).toEqual({ status: 503, body: { status: 'not ready', reason } });
  }, WAIT);
  expect(await health('live')).toEqual({ status: 200, body: { status: 'live' } });
  await migrate({ databaseUrl: database.url, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
  await started;
  expect(await health('ready')).toEqual({ status: 200, body: { status: 'ready' } });
});

it('stops while it waits for its schema', async () => {
  await vi.waitFor(async () => expect(await health('ready')).toMatchObject({ status: 503 }), WAIT);
  for (const { run } of server.stopSteps) await run();
  await started;
  await expect(health('live')).rejects.toThrow('fetch failed');
  server.stopSteps.length = 0;
});
