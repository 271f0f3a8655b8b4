import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configSchema } from '../config.ts';
import { type LedgerServer, startLedgerServer } from '../server.ts';
import { brokenInvariants } from '../testing/check-invariants.ts';
import { LeaseCall } from '../testing/lease-call.ts';
import { fundedAccount } from '../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, silent } from '../testing/ledger-fixture.ts';

const WAIT_MS = 300;

let ledger: LedgerFixture;
let replicas: { server: LedgerServer; client: LedgerServiceClient }[];
let calls: LeaseCall[];

beforeAll(async () => {
  ledger = await createLedger();
  const config = configSchema.parse({ DATABASE_URL: ledger.url, GRPC_PORT: 0, LISTEN_HOST: '127.0.0.1' });
  const start = async () => {
    const server = await startLedgerServer(ledger.pool, config, silent);
    return { server, client: createGrpcClient(LedgerServiceClient, `127.0.0.1:${server.port}`) };
  };
  replicas = await Promise.all([start(), start()]);
});
afterAll(async () => {
  for (const { client, server } of replicas) {
    client.close();
    server.drainStreams();
    await server.stop(2_000);
  }
  await ledger.drop();
});
beforeEach(() => {
  calls = [];
});
afterEach(async () => {
  for (const call of calls) call.end();
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** A session of one of the replicas. */
async function session(replica: number, sessionId = newId()): Promise<LeaseCall> {
  const client = replicas[replica]?.client;
  if (client === undefined) throw new Error(`there is no replica ${replica}`);
  const call = await LeaseCall.opened(client, sessionId);
  calls.push(call);
  return call;
}

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const begun = performance.now();
  return { result: await work, ms: performance.now() - begun };
}

describe.each([
  ['of the same replica', 0],
  ['of another replica', 1],
])('credit idle at a session %s', (_, replica) => {
  it('is recalled before an acquire is refused, and granted at once', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(replica);
    await holder.acquire(accountId, 90n);
    const asker = await session(0);
    const granted = timed(asker.acquire(accountId, 60n));
    expect(await holder.recalled()).toEqual({ accountId, suspended: false });
    expect(await holder.giveBack(accountId, 70n)).toMatchObject({ returnedTotal: 70n });
    const { result, ms } = await granted;
    expect(result).toMatchObject({ refused: false, grantedTotal: 60n, availableNanos: 20n });
    expect(ms).toBeLessThan(WAIT_MS);
  });

  it('that is held there is no cause to wait on: the acquire is refused once all have answered', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(replica);
    await holder.acquire(accountId, 90n);
    const asker = await session(0);
    const refused = timed(asker.acquire(accountId, 60n));
    await holder.recalled();
    await holder.giveBack(accountId, 0n);
    const { result, ms } = await refused;
    expect(result).toMatchObject({ refused: true, grantedTotal: 0n, balanceNanos: 100n, availableNanos: 10n });
    expect(ms).toBeLessThan(WAIT_MS);
  });

  it('that does not answer costs the bound, and no other message of the stream', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(replica);
    await holder.acquire(accountId, 90n);
    const asker = await session(0);
    const others = await Promise.all(Array.from({ length: 40 }, () => fundedAccount(ledger.pool, 10n)));
    for (const other of others) await holder.acquire(other, 10n, 2n);
    asker.send({ message: { $case: 'acquire', value: { accountId, sequence: 1n, grantedTotalNeeded: 60n } } });
    for (const other of others) {
      asker.send({ message: { $case: 'acquire', value: { accountId: other, sequence: 2n, grantedTotalNeeded: 5n } } });
    }
    const begun = performance.now();
    const beat = await asker.ask({ $case: 'heartbeat', value: { sequence: 1n, held: [] } });
    expect(beat).toMatchObject({ $case: 'heartbeat' });
    expect(performance.now() - begun).toBeLessThan(WAIT_MS);
    const answers = await Promise.all(Array.from({ length: 41 }, () => asker.lease()));
    expect(answers.every((answer) => answer.refused)).toBe(true);
    expect(performance.now() - begun).toBeGreaterThan(WAIT_MS - 50);
  });
});
