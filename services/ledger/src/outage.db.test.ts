import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import type { GrpcServer } from '@tollgate/common/grpc/server';
import { migrate } from '@tollgate/common/postgres/migrate';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { ACTOR_SETTINGS } from '@tollgate/common/testing/actors';
import { LedgerServiceClient, SettleOutcome } from '@tollgate/proto/ledger';
import { type OwnPostgres, startPostgres } from '@tollgate/test-support/stores/own-postgres';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildCharge } from '../testing/build-charge.ts';
import { brokenInvariants } from '../testing/check-invariants.ts';
import { Duplex } from '../testing/duplex.ts';
import { fundedAccount, leasingSession } from '../testing/ledger-calls.ts';
import { MAX_AGE_MS, silent } from '../testing/ledger-fixture.ts';
import { configSchema } from './config.ts';
import { createDependencies, type Dependencies } from './dependencies.ts';
import { MIGRATIONS_FOLDER } from './folders.ts';
import { sweep } from './jobs/sweep.ts';
import { startLedgerServer } from './server.ts';
import { readBalance } from './store/balances.ts';
import { ensurePartitions } from './store/partitions.ts';
import { SCHEMA } from './store/schema.ts';

let postgres: OwnPostgres;
let pool: Pool;
let dependencies: Dependencies;
let server: GrpcServer;
let client: LedgerServiceClient;

beforeAll(async () => {
  postgres = await startPostgres();
  await migrate({ databaseUrl: postgres.url, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
  pool = createPool({ url: postgres.url, size: 8, applicationName: 'tollgate-ledger-test' }, silent);
  await ensurePartitions(pool, Date.now(), MAX_AGE_MS, silent);
  const config = configSchema.parse({
    DATABASE_URL: postgres.url,
    GRPC_PORT: 0,
    LISTEN_HOST: '127.0.0.1',
    AUTH_ADDRESS: '127.0.0.1:1',
    ...ACTOR_SETTINGS,
  });
  dependencies = createDependencies(config, silent, { pool });
  server = await startLedgerServer(dependencies);
  client = createGrpcClient(LedgerServiceClient, `127.0.0.1:${server.port}`);
});
afterAll(async () => {
  client.close();
  dependencies.streams.drain();
  await server.stop(2_000);
  await pool.end();
  await postgres.stop();
});

it('a stream fails while the database is away, and a sender that sends again is charged once', async () => {
  const accountId = await fundedAccount(pool, 1_000n);
  const sessionId = await leasingSession(pool, accountId, 1_000n);
  const first = buildCharge({ accountId, sessionId }, 100n);
  const second = buildCharge({ accountId, sessionId }, 200n);
  const stream = new Duplex(client.settle());
  stream.send({ sequence: 1n, charges: [first] });
  expect((await stream.next()).outcomes).toEqual([SettleOutcome.POSTED]);

  await postgres.kill();
  stream.send({ sequence: 2n, charges: [first, second] });
  expect(await stream.ended).toMatchObject({ code: status.UNAVAILABLE });

  await postgres.start();
  const again = new Duplex(client.settle());
  again.send({ sequence: 1n, charges: [first, second] });
  expect((await again.next()).outcomes).toEqual([SettleOutcome.DUPLICATE, SettleOutcome.POSTED]);
  again.end();
  expect(await readBalance(pool, accountId)).toMatchObject({ leased: 700n, available: 0n });
  expect(await brokenInvariants(pool)).toEqual([]);
});

it('nothing expires for a full period after the database was away, and then what is dead still does', async () => {
  const options = { gapMs: 2_000, keepMs: 4_000 };
  const accountId = await fundedAccount(pool, 1_000n);
  const sessionId = await leasingSession(pool, accountId, 600n);
  const round = () => sweep(pool, options, silent);
  const available = async () => (await readBalance(pool, accountId))?.available;
  expect(await round()).toEqual([]);

  await postgres.kill();
  await delay(options.keepMs);
  await postgres.start();
  // Its last heartbeat is older than a session is kept, for nobody could record another one.
  let backAtMs = 0;
  const isBack = async () => {
    backAtMs = performance.now();
    expect(await round()).toEqual([]);
  };
  await vi.waitFor(isBack, { timeout: 30_000 });
  expect(await available()).toBe(400n);

  let ended: string[] = [];
  while (ended.length === 0) {
    await delay(200);
    ended = await round();
  }
  expect(ended).toContain(sessionId);
  expect(performance.now() - backAtMs).toBeGreaterThan(options.keepMs - 100);
  expect(await available()).toBe(1_000n);
  expect(await brokenInvariants(pool)).toEqual([]);
});
