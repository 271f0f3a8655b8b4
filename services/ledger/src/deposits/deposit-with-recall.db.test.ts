import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { BALANCE } from '@tollgate/common/cap-periods';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { DepositKind, SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { LeaseCall } from '../../testing/lease-call.ts';
import { fundedAccount, settle } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { listEvents } from '../store/events.ts';
import { collectDebts } from './debts.ts';

let ledger: ServedLedger;
let sessionId: string;
let ingress: LeaseCall;
beforeAll(async () => {
  // Long: every recall gets its responses, also on a slow machine.
  ledger = await serveLedger({}, { recallWaitMs: 20_000 });
});
afterAll(() => ledger.drop());
beforeEach(async () => {
  sessionId = newId();
  ingress = await LeaseCall.opened(ledger.client, sessionId);
});
afterEach(async () => {
  ingress.end();
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

function debit(accountId: string, kind: DepositKind, amountNanos: bigint, refuseShortfall = false) {
  const request = { accountId, kind, amountNanos, idempotencyKey: newId(), reason: 'test', refuseShortfall };
  return unaryCall(ledger.client.deposit.bind(ledger.client), request, { deadlineMs: 5_000 });
}

function balance(accountId: string) {
  return unaryCall(ledger.client.getBalance.bind(ledger.client), { accountId }, { deadlineMs: 5_000 });
}

describe('a debit larger than what is available', () => {
  it.each([
    ['adjustment', DepositKind.ADJUSTMENT],
    ['refund', DepositKind.REFUND],
    ['dispute', DepositKind.DISPUTE],
  ])('takes what is idle on leases first: %s', async (_, kind) => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    await ingress.acquire(accountId, 90n);
    const taken = debit(accountId, kind, -80n, true);
    expect(await ingress.recalled()).toEqual({ accountId, ceiling: BALANCE, suspended: false });
    await ingress.giveBack(accountId, 75n);
    expect((await taken).balance).toMatchObject({ balanceNanos: 20n, receivableNanos: 0n, suspended: false });
  });

  it('waits for every session, although the acquire whose recall it joins is granted before', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await LeaseCall.opened(ledger.client);
    const asker = await LeaseCall.opened(ledger.client);
    await ingress.acquire(accountId, 40n);
    await holder.acquire(accountId, 60n);
    const granted = asker.acquire(accountId, 30n);
    await Promise.all([ingress.recalled(), holder.recalled()]);
    const taken = debit(accountId, DepositKind.ADJUSTMENT, -60n, true);
    await delay(200);
    await ingress.giveBack(accountId, 40n);
    expect(await granted).toMatchObject({ refused: false });
    await Promise.all([asker.recalled(), holder.recalled()]);
    await asker.giveBack(accountId, 0n);
    await holder.giveBack(accountId, 60n);
    expect((await taken).balance).toMatchObject({ balanceNanos: 40n, receivableNanos: 0n });
    for (const call of [holder, asker]) call.end();
  });

  it('never takes what open requests hold: the rest is owed, or the debit refused', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    await ingress.acquire(accountId, 90n);
    const refused = debit(accountId, DepositKind.REFUND, -80n);
    refused.catch(() => undefined);
    await ingress.recalled();
    await ingress.giveBack(accountId, 20n);
    await expect(refused).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect((await balance(accountId)).balanceNanos).toBe(100n);

    const disputed = debit(accountId, DepositKind.DISPUTE, -80n);
    expect(await ingress.recalled()).toEqual({ accountId, ceiling: BALANCE, suspended: false });
    await ingress.giveBack(accountId, 20n);
    expect(await ingress.recalled()).toEqual({ accountId, ceiling: BALANCE, suspended: true });
    // Ten more became free meanwhile, which pay a part of the debt at once.
    await ingress.giveBack(accountId, 30n);
    const response = await disputed;
    expect(response.deposit?.owedNanos).toBe(50n);
    expect(response.balance).toMatchObject({ balanceNanos: 60n, receivableNanos: 40n, suspended: true });
    expect(await ingress.acquire(accountId, 91n, 2n)).toMatchObject({ refused: true, suspended: true });

    // The open requests end normally, at the full price of their holds.
    expect(await settle(ledger.pool, buildCharge({ accountId, sessionId }, 60n))).toEqual([SettleOutcome.POSTED]);
    expect(await balance(accountId)).toMatchObject({ balanceNanos: 0n, receivableNanos: 40n, suspended: true });
  });
});

describe('the debt of an account', () => {
  it('is paid by credit that is returned later, which ends the suspension when all is paid', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const inNoDebt = await fundedAccount(ledger.pool, 10n);
    await ingress.acquire(accountId, 90n);
    const disputed = debit(accountId, DepositKind.DISPUTE, -60n);
    for (let round = 0; round < 2; round++) {
      await ingress.recalled();
      await ingress.giveBack(accountId, 0n);
    }
    expect((await disputed).balance).toMatchObject({ receivableNanos: 50n, suspended: true });

    await ingress.giveBack(accountId, 30n);
    await Promise.all([collectDebts(ledger.pool), collectDebts(ledger.pool)]);
    expect(await balance(accountId)).toMatchObject({ balanceNanos: 60n, receivableNanos: 20n, suspended: true });
    await ingress.giveBack(accountId, 90n);
    await Promise.all([collectDebts(ledger.pool), collectDebts(ledger.pool)]);
    expect(await balance(accountId)).toMatchObject({ balanceNanos: 40n, receivableNanos: 0n, suspended: false });
    expect(await balance(inNoDebt)).toMatchObject({ balanceNanos: 10n });
    const events = await listEvents(ledger.pool, accountId, undefined, 10);
    expect(events.map(({ type, dataJson }) => [type, JSON.parse(dataJson)])).toEqual([
      ['account.unsuspended', { account_id: accountId, balance: '0.00000004', currency: 'USD' }],
      ['account.suspended', { account_id: accountId, owed: '0.00000005', balance: '0.00000009', currency: 'USD' }],
    ]);
    expect(await ingress.acquire(accountId, 91n, 2n)).toMatchObject({ refused: false });
  });
});
