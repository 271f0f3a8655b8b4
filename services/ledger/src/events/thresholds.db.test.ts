import { newId } from '@tollgate/common/ids';
import { createPool } from '@tollgate/common/postgres/pool';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, silent } from '../../testing/ledger-fixture.ts';
import { collectDebt } from '../deposits/debts.ts';
import { type DepositInput, makeDeposit } from '../deposits/make-deposit.ts';
import { returnCredit } from '../leases/lease-credit.ts';
import { listEvents } from '../store/events.ts';
import { readThresholds } from '../store/thresholds.ts';
import { applyDefaultThresholds, saveDefaultThresholds, setThresholds } from './thresholds.ts';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** The account's events as text, oldest first, then in order of their text. */
async function recordedEvents(accountId: string): Promise<string[]> {
  const events = await listEvents(ledger.pool, accountId, undefined, 1_000);
  const lines = events.map(({ type, dataJson, createdAtMs }) => {
    const { threshold, balance } = JSON.parse(dataJson);
    return { at: Number(createdAtMs), text: `${type} ${threshold} at ${balance}` };
  });
  return lines.sort((a, b) => a.at - b.at || a.text.localeCompare(b.text)).map((line) => line.text);
}

function adjustment(accountId: string, amountNanos: bigint): DepositInput {
  return { accountId, kind: 'adjustment', amountNanos, idempotencyKey: newId(), reason: 'test' };
}

async function adjust(accountId: string, amountNanos: bigint): Promise<void> {
  await makeDeposit(ledger.pool, adjustment(accountId, amountNanos));
}

describe('a threshold', () => {
  it('is reported once when charges bring the balance to it, and again after a deposit above it', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    await setThresholds(ledger.pool, accountId, [50n, 20n]);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 49n));
    expect(await recordedEvents(accountId)).toEqual([]);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 1n));
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 1n));
    const first = 'balance.low 0.00000005 at 0.00000005';
    expect(await recordedEvents(accountId)).toEqual([first]);

    await adjust(accountId, 1n);
    await acquire(ledger.pool, sessionId, accountId, 101n, 2n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 1n));
    expect(await recordedEvents(accountId)).toEqual([first]);

    await adjust(accountId, 10n);
    await acquire(ledger.pool, sessionId, accountId, 111n, 3n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 9n), buildCharge({ accountId, sessionId }, 40n));
    expect(await recordedEvents(accountId)).toEqual([
      first,
      'balance.low 0.00000002 at 0.00000001',
      'balance.low 0.00000005 at 0.00000001',
    ]);
  });

  it('is reported exactly once while several replicas settle and credit concurrently', async () => {
    const replica = createPool({ url: ledger.url, size: 4, applicationName: 'another replica' }, silent);
    try {
      for (let round = 0; round < 5; round++) {
        const accountId = await fundedAccount(ledger.pool, 100n);
        await setThresholds(ledger.pool, accountId, [0n, 30n, 60n, 95n]);
        const sessionId = await leasingSession(ledger.pool, accountId, 100n);
        const charges = Array.from({ length: 20 }, () => buildCharge({ accountId, sessionId }, 5n));
        await Promise.all(charges.map((charge, index) => settle(index % 2 === 0 ? ledger.pool : replica, charge)));
        // A charge may bring the balance past a threshold together with others, so only the thresholds are certain.
        const crossed = (await recordedEvents(accountId)).map((line) => line.split(' ')[1]);
        expect(crossed.sort()).toEqual(['0', '0.00000003', '0.00000006', '0.000000095']);
      }
    } finally {
      await replica.end();
    }
  });

  it('is reported once when charges and credits around it race, and not while the balance stays below', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    await setThresholds(ledger.pool, accountId, [50n]);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 60n));
    const work = Array.from({ length: 16 }, (_, index) =>
      index % 2 === 0
        ? adjust(accountId, 1n)
        : settle(ledger.pool, buildCharge({ accountId, sessionId }, 1n)).then(() => undefined),
    );
    await Promise.all(work);
    expect(await recordedEvents(accountId)).toEqual(['balance.low 0.00000005 at 0.00000004']);
  });

  it('is reported when an adjustment takes the balance there, and not when thresholds are set', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    await setThresholds(ledger.pool, accountId, [100n, 200n, 40n]);
    expect(await recordedEvents(accountId)).toEqual([]);
    await adjust(accountId, -60n);
    const low = 'balance.low 0.00000004 at 0.00000004';
    expect(await recordedEvents(accountId)).toEqual([low]);
    await setThresholds(ledger.pool, accountId, []);
    await adjust(accountId, -40n);
    expect(await recordedEvents(accountId)).toEqual([low]);
  });

  it('of an account in debt is reported when returned credit pays the debt', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    await setThresholds(ledger.pool, accountId, [30n]);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    await makeDeposit(ledger.pool, { ...adjustment(accountId, -80n), kind: 'dispute' });
    await returnCredit(ledger.pool, sessionId, { accountId, cap: undefined, returnedTotal: 100n });
    expect(await collectDebt(ledger.pool, accountId)).toBe(false);
    expect(await recordedEvents(accountId)).toContain('balance.low 0.00000003 at 0.00000002');
  });
});

describe('thresholds of all accounts', () => {
  it('hold for accounts without their own, also for those that have credit already', async () => {
    const signal = new AbortController().signal;
    const [own, none, other] = [
      await fundedAccount(ledger.pool, 100n),
      await fundedAccount(ledger.pool, 100n),
      await fundedAccount(ledger.pool, 100n),
    ];
    await setThresholds(ledger.pool, own, [20n]);
    await setThresholds(ledger.pool, none, []);
    await saveDefaultThresholds(ledger.pool, [10n, 60n], silent);
    await Promise.all([applyDefaultThresholds(ledger.pool, signal), applyDefaultThresholds(ledger.pool, signal)]);
    const later = await fundedAccount(ledger.pool, 100n);
    const all = [own, none, other, later];
    for (const accountId of all) await adjust(accountId, -50n);
    const lists = await Promise.all(all.map((accountId) => recordedEvents(accountId)));
    const low = ['balance.low 0.00000006 at 0.00000005'];
    expect(lists).toEqual([[], [], low, low]);

    await setThresholds(ledger.pool, own, undefined);
    await adjust(own, -41n);
    expect(await recordedEvents(own)).toEqual(['balance.low 0.00000001 at 0.000000009']);
    await saveDefaultThresholds(ledger.pool, [], silent);
    await applyDefaultThresholds(ledger.pool, signal);
    await adjust(other, -50n);
    expect(await recordedEvents(other)).toEqual(low);
    expect(await readThresholds(ledger.pool, other)).toEqual({ thresholds: [], own: false });
  });
});
