import { unaryCall } from '@tollgate/common/grpc/client';
import { idFloor, newId } from '@tollgate/common/ids';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { DAY_MS } from '../store/time.ts';

/** The start of a day in the past. */
const DAY = Math.floor(Date.now() / DAY_MS - 3) * DAY_MS;
/** More than are read by one statement. */
const ACCOUNTS = 25;

let ledger: ServedLedger;
let client: LedgerServiceClient;
const accounts: string[] = [];
beforeAll(async () => {
  ledger = await serveLedger();
  ({ client } = ledger);
  for (let number = 0; number < ACCOUNTS; number++) {
    const accountId = await fundedAccount(ledger.pool, 1_000n);
    accounts.push(accountId);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    const startedAtMs = DAY + number;
    const requestId = `${idFloor(startedAtMs).slice(0, 13)}-7${newId().slice(15)}`;
    const fields = { accountId, sessionId, requestId, startedAtMs: BigInt(startedAtMs), provider: 'openai' };
    await settle(ledger.pool, buildCharge(fields, 10n));
  }
});
afterAll(() => ledger.drop());

const sum = (fields: { provider?: string; dayMs?: bigint; cursor?: string }) =>
  unaryCall(
    client.sumProviderUsage.bind(client),
    { provider: 'openai', dayMs: BigInt(DAY), cursor: '', ...fields },
    { deadlineMs: 20_000 },
  );

it('sums the charges of all accounts, or of those after one', async () => {
  const { usage, nextCursor } = await sum({});
  expect(nextCursor).toBe('');
  expect(usage.reduce((requests, each) => requests + each.requests, 0n)).toBe(BigInt(ACCOUNTS));
  const rest = await sum({ cursor: accounts.toSorted()[9] ?? '' });
  expect(rest.usage.reduce((requests, each) => requests + each.requests, 0n)).toBe(BigInt(ACCOUNTS - 10));
  expect((await sum({ provider: 'other' })).usage).toEqual([]);
  expect((await sum({ dayMs: BigInt(DAY - DAY_MS) })).usage).toEqual([]);
});

it.each([
  ['no provider', { provider: '' }, /provider/],
  ['a long provider', { provider: 'x'.repeat(201) }, /provider/],
  ['a time within a day', { dayMs: BigInt(DAY + 1) }, /day_ms/],
  ['another cursor', { cursor: 'x' }, /cursor/],
])('refuses %s', async (_, fields, message) => {
  await expect(sum(fields)).rejects.toThrow(message);
});
