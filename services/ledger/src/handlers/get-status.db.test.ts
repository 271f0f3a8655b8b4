import { unaryCall } from '@tollgate/common/grpc/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openedSession } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());

/** Adds leases of as many accounts, each with 3 nano-dollars left. */
async function addLeases(sessionId: string, count: number): Promise<void> {
  await ledger.pool.query(
    `INSERT INTO ledger.leases (account_id, session_id, granted, spent, returned)
     SELECT gen_random_uuid(), $1, 10, 5, 2 FROM generate_series(1, $2::int)`,
    [sessionId, count],
  );
}

async function leasedBySession(): Promise<Map<string, bigint | undefined>> {
  const { client } = ledger;
  const { sessions } = await unaryCall(client.getStatus.bind(client), {}, { deadlineMs: 20_000 });
  return new Map(sessions.map(({ sessionId, leasedNanos }) => [sessionId, leasedNanos]));
}

it('sums the leases of a session, except of one with more than its part of 5,000', async () => {
  const [summed, tooMany] = [await openedSession(ledger.pool), await openedSession(ledger.pool)];
  await addLeases(summed, 2_500);
  await addLeases(tooMany, 2_501);
  expect(await leasedBySession()).toEqual(
    new Map([
      [summed, 7_500n],
      [tooMany, undefined],
    ]),
  );
});

it('has a sum of 0 for a session without leases', async () => {
  const sessionId = await openedSession(ledger.pool);
  expect((await leasedBySession()).get(sessionId)).toBe(0n);
});
