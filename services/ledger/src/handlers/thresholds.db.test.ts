import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { EventState, type SetThresholdsRequest } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundedAccount } from '../../testing/ledger-calls.ts';
import { silent } from '../../testing/ledger-fixture.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { saveDefaultThresholds } from '../events/thresholds.ts';

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
  await saveDefaultThresholds(ledger.pool, [7n], silent);
});
afterAll(() => ledger.drop());

const deadline = { deadlineMs: 5_000 };

function set(fields: Partial<SetThresholdsRequest> & { accountId: string }) {
  const request = { thresholdsNanos: [], useDefaults: false, ...fields };
  return unaryCall(ledger.client.setThresholds.bind(ledger.client), request, deadline);
}

function get(accountId: string) {
  return unaryCall(ledger.client.getThresholds.bind(ledger.client), { accountId }, deadline);
}

describe('thresholds of an account', () => {
  it('are those of all accounts until it has its own, and again once these are dropped', async () => {
    const accountId = newId();
    const defaults = { accountId, thresholdsNanos: [7n], own: false };
    expect(await get(accountId)).toEqual(defaults);
    const own = { accountId, thresholdsNanos: [90n, 5n, 0n], own: true };
    expect(await set({ accountId, thresholdsNanos: [5n, 90n, 0n, 5n] })).toEqual(own);
    expect(await get(accountId)).toEqual(own);
    expect(await set({ accountId })).toEqual({ accountId, thresholdsNanos: [], own: true });
    expect(await set({ accountId, useDefaults: true })).toEqual(defaults);
    expect(await get(accountId)).toEqual(defaults);
  });

  it('are refused where they cannot be, naming the field', async () => {
    const accountId = newId();
    const eleven = Array.from({ length: 11 }, (_, index) => BigInt(index));
    const cases: [Partial<SetThresholdsRequest>, string][] = [
      [{ accountId: 'me' }, 'account_id'],
      [{ thresholdsNanos: [-1n] }, 'thresholds_nanos'],
      [{ thresholdsNanos: eleven }, 'thresholds_nanos'],
      [{ thresholdsNanos: [1n], useDefaults: true }, 'thresholds_nanos'],
    ];
    for (const [fields, name] of cases) {
      await expect(set({ accountId, ...fields })).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: expect.stringMatching(new RegExp(`^${name}: `)),
      });
    }
    expect((await set({ accountId, thresholdsNanos: eleven.slice(0, 10) })).thresholdsNanos).toHaveLength(10);
  });
});

describe('events of an account', () => {
  it('are listed newest first, a page at a time, and no other account has them', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    await set({ accountId, thresholdsNanos: [90n, 80n, 70n] });
    for (let index = 0; index < 3; index++) {
      const input = { accountId, kind: 'adjustment' as const, amountNanos: -10n, idempotencyKey: newId(), reason: 'x' };
      await makeDeposit(ledger.pool, input);
    }
    const page = (id: string, cursor: string) =>
      unaryCall(ledger.client.listEvents.bind(ledger.client), { accountId: id, limit: 2, cursor }, deadline);
    const first = await page(accountId, '');
    const second = await page(accountId, first.nextCursor);
    expect(second.nextCursor).toBe('');
    const listed = [...first.events, ...second.events];
    expect(listed.map((event) => JSON.parse(event.dataJson).threshold)).toEqual([
      '0.00000007',
      '0.00000008',
      '0.00000009',
    ]);
    expect(listed[0]).toMatchObject({
      accountId,
      type: 'balance.low',
      state: EventState.PENDING,
      attempts: 0,
      endedAtMs: 0n,
      lastError: '',
    });
    expect((await page(newId(), '')).events).toEqual([]);
    await expect(page('me', '')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    await expect(page(accountId, 'nonsense')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});
