import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { DepositKind, type DepositRequest } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../testing/check-invariants.ts';
import { acquire, openedSession } from '../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../testing/serve-ledger.ts';

const { DEPOSIT, ADJUSTMENT, REFUND, UNSPECIFIED } = DepositKind;

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

const deadline = { deadlineMs: 5_000 };

function deposit(fields: Partial<DepositRequest> & { accountId: string }) {
  const request = { kind: DEPOSIT, amountNanos: 100n, idempotencyKey: newId(), reason: 'top-up', ...fields };
  return unaryCall(ledger.client.deposit.bind(ledger.client), request, deadline);
}

function balance(accountId: string) {
  return unaryCall(ledger.client.getBalance.bind(ledger.client), { accountId }, deadline);
}

describe('deposit', () => {
  it('credits an account, and only once for a key', async () => {
    const accountId = newId();
    const request = { accountId, idempotencyKey: 'payment 7', amountNanos: 250n };
    const first = await deposit(request);
    expect(first).toEqual({
      deposit: {
        depositId: expect.any(String),
        accountId,
        kind: DEPOSIT,
        amountNanos: 250n,
        reason: 'top-up',
        createdAtMs: expect.any(BigInt),
      },
      balance: {
        accountId,
        balanceNanos: 250n,
        heldNanos: 0n,
        availableNanos: 250n,
        receivableNanos: 0n,
        suspended: false,
      },
      repeated: false,
    });
    expect(await deposit(request)).toEqual({ ...first, repeated: true });
    await expect(deposit({ ...request, amountNanos: 251n })).rejects.toMatchObject({ code: status.ALREADY_EXISTS });
    await expect(deposit({ ...request, reason: 'other' })).rejects.toMatchObject({ code: status.ALREADY_EXISTS });
    await expect(deposit({ ...request, kind: REFUND })).rejects.toMatchObject({ code: status.ALREADY_EXISTS });
    expect((await balance(accountId)).balanceNanos).toBe(250n);
  });

  it('with one key from many callers at once is made once', async () => {
    const accountId = newId();
    const made = await Promise.all(Array.from({ length: 8 }, () => deposit({ accountId, idempotencyKey: 'same' })));
    expect(made.filter((answer) => !answer.repeated)).toHaveLength(1);
    expect((await balance(accountId)).balanceNanos).toBe(100n);
  });

  it('debits no more than what is available', async () => {
    const accountId = newId();
    await deposit({ accountId });
    await acquire(ledger.pool, await openedSession(ledger.pool), accountId, 70n);
    const debit = (kind: DepositKind, amountNanos: bigint) => deposit({ accountId, kind, amountNanos });
    await expect(debit(ADJUSTMENT, -31n)).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'amount_nanos: takes more than the 0.00000003 USD available',
    });
    await debit(ADJUSTMENT, -20n);
    await debit(REFUND, -10n);
    await expect(debit(REFUND, -1n)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect((await balance(accountId)).balanceNanos).toBe(70n);
    await expect(deposit({ accountId: newId(), kind: ADJUSTMENT, amountNanos: -1n })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
  });

  it('refuses what it cannot read, naming the field', async () => {
    const accountId = newId();
    const cases: [Partial<DepositRequest>, string][] = [
      [{ accountId: 'me' }, 'account_id'],
      [{ kind: UNSPECIFIED }, 'kind'],
      [{ amountNanos: 0n }, 'amount_nanos'],
      [{ amountNanos: -5n }, 'amount_nanos'],
      [{ idempotencyKey: '' }, 'idempotency_key'],
      [{ idempotencyKey: 'k'.repeat(201) }, 'idempotency_key'],
      [{ reason: '' }, 'reason'],
      [{ reason: 'r'.repeat(501) }, 'reason'],
      [{ reason: 'a\0b' }, 'reason'],
    ];
    for (const [fields, name] of cases) {
      await expect(deposit({ accountId, ...fields })).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: expect.stringMatching(new RegExp(`^${name}: `)),
      });
    }
    expect((await balance(accountId)).balanceNanos).toBe(0n);
  });

  it('is refused where the balance would leave the range of the ledger', async () => {
    const accountId = newId();
    const most = 2n ** 63n - 1n;
    await deposit({ accountId, amountNanos: most });
    await expect(deposit({ accountId, amountNanos: 1n })).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect((await balance(accountId)).balanceNanos).toBe(most);
  });
});

describe('balance', () => {
  it('of an account without any movement is zero', async () => {
    const accountId = newId();
    expect(await balance(accountId)).toEqual({
      accountId,
      balanceNanos: 0n,
      heldNanos: 0n,
      availableNanos: 0n,
      receivableNanos: 0n,
      suspended: false,
    });
  });
});

describe('list of deposits', () => {
  it('is newest first, a page at a time, and not disturbed by deposits that arrive meanwhile', async () => {
    const accountId = newId();
    const made: string[] = [];
    for (let index = 0; index < 5; index++) made.unshift((await deposit({ accountId })).deposit?.depositId ?? '');
    const page = (cursor: string, endMs = BigInt(Date.now() + 60_000)) =>
      unaryCall(
        ledger.client.listDeposits.bind(ledger.client),
        { accountId, startMs: 0n, endMs, limit: 2, cursor },
        deadline,
      );
    const listed: string[] = [];
    let cursor = '';
    do {
      const answer = await page(cursor);
      expect(answer.deposits.length).toBeLessThanOrEqual(2);
      listed.push(...answer.deposits.map((row) => row.depositId));
      cursor = answer.nextCursor;
      if (cursor !== '') await deposit({ accountId });
    } while (cursor !== '');
    expect(listed).toEqual(made);
    expect((await page('', 1n)).deposits).toEqual([]);
    await expect(page('nonsense')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});
