import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import { Duplex } from '@tollgate/ledger/testing/duplex';
import { balanceAcquire } from '@tollgate/ledger/testing/lease-call';
import {
  type Charge,
  LedgerServiceClient,
  type SettleOutcome as Outcome,
  SettleOutcome,
  type SettleRequest,
  type SettleResponse,
} from '@tollgate/proto/ledger';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Auditor } from './support/database.ts';

const BALANCE = 1_000_000_000n;
const COST = 1_000n;
let gateway: Gateway;
let auditor: Auditor;
let ledgers: [LedgerServiceClient, LedgerServiceClient];
let account: Account;
let sessionId: string;

beforeAll(async () => {
  gateway = await startGateway({ ledgers: 2 });
  auditor = new Auditor(gateway.stack.facts.database_url);
  const [first = '', second = ''] = gateway.stack.facts.grpc.ledgers;
  ledgers = [createGrpcClient(LedgerServiceClient, first), createGrpcClient(LedgerServiceClient, second)];
});
afterAll(async () => {
  for (const ledger of ledgers) ledger.close();
  await auditor.close();
  await gateway.stop();
});

/** An account whose complete balance is leased to one session, as to a busy ingress. */
beforeEach(async () => {
  account = await gateway.accounts.create(BALANCE);
  sessionId = newId();
  const lease = new Duplex(ledgers[1].lease());
  lease.send({ message: { $case: 'open', value: { sessionId, ingressName: 'a test' } } });
  await lease.next();
  const acquire = balanceAcquire(account.accountId, BALANCE);
  lease.send({ message: { $case: 'acquire', value: acquire } });
  await expect(lease.next()).resolves.toMatchObject({
    message: { $case: 'lease', value: { ceilings: [{ grantedTotal: BALANCE }] } },
  });
  lease.end();
});

function charge(): Charge {
  return buildCharge({ accountId: account.accountId, sessionId, keyId: account.keyId }, COST);
}

async function settle(ledger: LedgerServiceClient, charges: Charge[]): Promise<Outcome[]> {
  const stream = new Duplex<SettleRequest, SettleResponse>(ledger.settle());
  stream.send({ sequence: 1n, charges });
  const { outcomes } = await stream.next();
  stream.end();
  return outcomes;
}

async function expectChargedOnce(charges: readonly Charge[]): Promise<void> {
  const records = await allRecords(gateway, account);
  expect(records.map((record) => costOf(record))).toEqual(charges.map(() => COST));
  const spent = COST * BigInt(charges.length);
  expect(await balanceOf(gateway, account)).toBe(BALANCE - spent);
  expect(await auditor.books(account.accountId)).toMatchObject({ revenue: spent, operatorLoss: 0n });
}

it('charges that two ledgers settle concurrently are posted once, in any order of batches', async () => {
  const charges = Array.from({ length: 200 }, charge);
  const attempts = await Promise.all([
    settle(ledgers[0], charges),
    settle(ledgers[1], charges.toReversed()),
    settle(ledgers[0], charges.slice(50, 150)),
    ...charges.slice(0, 20).map((each) => settle(ledgers[1], [each])),
  ]);
  const outcomes = attempts.flat();
  expect(outcomes.filter((outcome) => outcome === SettleOutcome.POSTED)).toHaveLength(charges.length);
  expect(outcomes.filter((outcome) => outcome === SettleOutcome.DUPLICATE)).toHaveLength(
    outcomes.length - charges.length,
  );
  await expectChargedOnce(charges);
});

it('a ledger killed between its commit and its response: another one posts the same charges no second time', async () => {
  const charges = Array.from({ length: 20 }, charge);
  // The response is never read: for its client, the ledger dies first.
  const unread = ledgers[0].settle();
  const broken = new Promise((resolve) => unread.on('error', resolve));
  unread.write({ sequence: 1n, charges });
  for (const { requestId } of charges) await recordOf(gateway, account, requestId);
  await gateway.stack.kill('ledger');
  unread.resume();
  await broken;
  const again = await settle(ledgers[1], charges);
  expect(again).toEqual(charges.map(() => SettleOutcome.DUPLICATE));
  await gateway.stack.restart('ledger');
  await expect.poll(() => settle(ledgers[0], charges).catch(() => [])).toEqual(again);
  await expect
    .poll(() => balanceOf(gateway, account).catch(() => undefined))
    .toBe(BALANCE - COST * BigInt(charges.length));
  await expectChargedOnce(charges);
});
