import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import {
  type BookPaymentRequest,
  DepositKind,
  type DepositRequest,
  LotKind,
  SettleOutcome,
} from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, openedSession, settle } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { returnCredit } from '../leases/lease-credit.ts';

const { DEPOSIT, ADJUSTMENT, REFUND, DISPUTE, UNSPECIFIED } = DepositKind;

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

async function eventTypes(accountId: string): Promise<string[]> {
  const request = { accountId, limit: 100, cursor: '' };
  const { events } = await unaryCall(ledger.client.listEvents.bind(ledger.client), request, deadline);
  return events.map((event) => event.type).reverse();
}

function bookPayment(fields: Partial<BookPaymentRequest> & { accountId: string }) {
  const request = {
    kind: DEPOSIT,
    amountNanos: 100n,
    idempotencyKey: newId(),
    reason: 'card payment',
    createdBy: 'ann@example.com',
    refuseShortfall: false,
    paymentKey: '',
    ...fields,
  };
  return unaryCall(ledger.client.bookPayment.bind(ledger.client), request, deadline);
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
        createdBy: 'test operator',
        owedNanos: 0n,
      },
      balance: {
        accountId,
        balanceNanos: 250n,
        heldNanos: 0n,
        availableNanos: 250n,
        receivableNanos: 0n,
        suspended: false,
        lots: [
          {
            lotId: first.deposit?.depositId,
            kind: LotKind.PAID,
            remainingNanos: 250n,
            amountNanos: 250n,
            createdAtMs: expect.any(BigInt),
            endsAtMs: 0n,
            priority: 50,
          },
        ],
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
    expect(made.filter((response) => !response.repeated)).toHaveLength(1);
    expect((await balance(accountId)).balanceNanos).toBe(100n);
  });

  it('owes nothing where that is refused, and a refund never', async () => {
    const accountId = newId();
    await deposit({ accountId });
    await acquire(ledger.pool, await openedSession(ledger.pool), accountId, 70n);
    const refused = {
      code: status.FAILED_PRECONDITION,
      details: 'amount_nanos: takes more than the 0.00000003 USD available',
    };
    for (const kind of [ADJUSTMENT, DISPUTE]) {
      await expect(deposit({ accountId, kind, amountNanos: -31n, refuseShortfall: true })).rejects.toMatchObject(
        refused,
      );
    }
    await expect(deposit({ accountId, kind: REFUND, amountNanos: -31n })).rejects.toMatchObject(refused);
    await deposit({ accountId, kind: ADJUSTMENT, amountNanos: -20n, refuseShortfall: true });
    const { balance: left } = await deposit({ accountId, kind: REFUND, amountNanos: -10n });
    expect(left).toMatchObject({ balanceNanos: 70n, receivableNanos: 0n, suspended: false });
    await expect(deposit({ accountId, kind: REFUND, amountNanos: -1n })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
  });

  it('owes what a dispute or an adjustment cannot take, is suspended, and paid off by the next credits', async () => {
    const accountId = newId();
    await deposit({ accountId });
    const session = await openedSession(ledger.pool);
    await acquire(ledger.pool, session, accountId, 70n);
    const disputed = await deposit({ accountId, kind: DISPUTE, amountNanos: -100n, idempotencyKey: 'case 3' });
    expect(disputed.deposit).toMatchObject({ kind: DISPUTE, amountNanos: -100n, owedNanos: 70n });
    const owing = { balanceNanos: 70n, receivableNanos: 70n, suspended: true };
    expect(disputed.balance).toMatchObject(owing);
    expect(await deposit({ accountId, kind: DISPUTE, amountNanos: -100n, idempotencyKey: 'case 3' })).toEqual({
      ...disputed,
      repeated: true,
    });
    expect(await acquire(ledger.pool, session, accountId, 71n, 2n)).toMatchObject({ refused: true, suspended: true });

    // Requests that were open end normally.
    const charge = buildCharge({ accountId, sessionId: session }, 50n);
    expect(await settle(ledger.pool, charge)).toEqual([SettleOutcome.POSTED]);

    const more = await deposit({ accountId, kind: ADJUSTMENT, amountNanos: -5n });
    expect(more.deposit?.owedNanos).toBe(5n);
    const part = await deposit({ accountId, amountNanos: 60n });
    expect(part.deposit?.owedNanos).toBe(-60n);
    expect(part.balance).toMatchObject({ balanceNanos: 20n, receivableNanos: 15n, suspended: true });
    const rest = await deposit({ accountId, kind: ADJUSTMENT, amountNanos: 40n });
    expect(rest.deposit?.owedNanos).toBe(-15n);
    expect(rest.balance).toMatchObject({ balanceNanos: 45n, receivableNanos: 0n, suspended: false });
    expect(await acquire(ledger.pool, session, accountId, 71n, 3n)).toMatchObject({ refused: false, suspended: false });
    const types = await eventTypes(accountId);
    expect(types).toEqual(['account.suspended', 'account.unsuspended']);
  });

  it('pays debt out of returned credit before more is credited or debited', async () => {
    const accountId = newId();
    await deposit({ accountId });
    const session = await openedSession(ledger.pool);
    await acquire(ledger.pool, session, accountId, 70n);
    await deposit({ accountId, kind: DISPUTE, amountNanos: -100n });
    await returnCredit(ledger.pool, session, { accountId, cap: undefined, returnedTotal: 40n });
    const { deposit: made, balance: after } = await deposit({ accountId, amountNanos: 35n });
    expect(made?.owedNanos).toBe(-30n);
    expect(after).toMatchObject({ balanceNanos: 35n, receivableNanos: 0n, suspended: false });
  });

  it('takes nothing from an account that never had any credit', async () => {
    const accountId = newId();
    for (const kind of [ADJUSTMENT, REFUND, DISPUTE]) {
      await expect(deposit({ accountId, kind, amountNanos: -1n })).rejects.toMatchObject({
        code: status.FAILED_PRECONDITION,
        details: 'account_id: has never had any credit',
      });
    }
    expect((await balance(accountId)).receivableNanos).toBe(0n);
  });

  it('of many disputes and credits at once takes each to the last nano', async () => {
    const accountId = newId();
    await deposit({ accountId });
    const amounts = [-70n, 40n, -90n, 30n, -10n, 25n, -60n, 55n];
    await Promise.all(
      amounts.map((amountNanos) => deposit({ accountId, kind: amountNanos > 0n ? DEPOSIT : DISPUTE, amountNanos })),
    );
    const { balanceNanos, receivableNanos } = await balance(accountId);
    expect(balanceNanos - receivableNanos).toBe(20n);
    expect(receivableNanos).toBe(0n);
  });

  it('refuses what it cannot read, naming the field', async () => {
    const accountId = newId();
    const cases: [Partial<DepositRequest>, string][] = [
      [{ accountId: 'me' }, 'account_id'],
      [{ kind: UNSPECIFIED }, 'kind'],
      [{ amountNanos: 0n }, 'amount_nanos'],
      [{ amountNanos: -5n }, 'amount_nanos'],
      [{ kind: DISPUTE, amountNanos: 5n }, 'amount_nanos'],
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

  it('is refused if the balance would exceed the range of the ledger', async () => {
    const accountId = newId();
    const max = 2n ** 63n - 1n;
    await deposit({ accountId, amountNanos: max });
    await expect(deposit({ accountId, amountNanos: 1n })).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect((await balance(accountId)).balanceNanos).toBe(max);
    await deposit({ accountId, kind: DISPUTE, amountNanos: -max });
    await deposit({ accountId, kind: DISPUTE, amountNanos: -max });
    await expect(deposit({ accountId, kind: DISPUTE, amountNanos: -2n })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
    expect((await balance(accountId)).receivableNanos).toBe(max);
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
      lots: [],
    });
  });

  it('consists of lots, less what was charged since they changed', async () => {
    const accountId = newId();
    const endsAtMs = BigInt(Date.now() + 3_600_000);
    await deposit({ accountId });
    await deposit({ accountId, kind: ADJUSTMENT, amountNanos: 40n, endsAtMs });
    await deposit({ accountId, amountNanos: 7n, lotKind: LotKind.CONTRACTUAL, priority: 9 });
    const sessionId = await openedSession(ledger.pool);
    await acquire(ledger.pool, sessionId, accountId, 30n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 30n));
    const { balanceNanos, lots } = await balance(accountId);
    expect(balanceNanos).toBe(117n);
    expect(lots).toMatchObject([
      { kind: LotKind.GRANTED, remainingNanos: 17n, amountNanos: 40n, endsAtMs },
      { kind: LotKind.PAID, remainingNanos: 100n, endsAtMs: 0n },
    ]);
  });
});

describe('list of deposits', () => {
  it('is newest first, in pages that deposits in the meantime do not change', async () => {
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
      const response = await page(cursor);
      expect(response.deposits.length).toBeLessThanOrEqual(2);
      listed.push(...response.deposits.map((row) => row.depositId));
      cursor = response.nextCursor;
      if (cursor !== '') await deposit({ accountId });
    } while (cursor !== '');
    expect(listed).toEqual(made);
    expect((await page('', 1n)).deposits).toEqual([]);
    await expect(page('nonsense')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});

describe('bookPayment', () => {
  it('credits a payment once, and says who paid', async () => {
    const accountId = newId();
    const request = { accountId, idempotencyKey: 'stripe:pi_1' };
    const { deposit, balance: after } = await bookPayment(request);
    expect(deposit).toMatchObject({ kind: DEPOSIT, amountNanos: 100n, createdBy: 'ann@example.com' });
    expect(after).toMatchObject({ balanceNanos: 100n });
    expect(await bookPayment(request)).toMatchObject({ deposit, repeated: true });
    expect(await balance(accountId)).toMatchObject({ balanceNanos: 100n });
  });

  it('owes a refund of spent credit, whose money has left already, unless that is refused', async () => {
    const accountId = newId();
    await bookPayment({ accountId });
    await acquire(ledger.pool, await openedSession(ledger.pool), accountId, 70n);
    const refund = { accountId, kind: REFUND, amountNanos: -100n };
    await expect(bookPayment({ ...refund, refuseShortfall: true })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
    const { deposit, balance: after } = await bookPayment(refund);
    expect(deposit).toMatchObject({ owedNanos: 70n });
    expect(after).toMatchObject({ balanceNanos: 70n, receivableNanos: 70n, suspended: true });
  });

  it('makes no adjustment', async () => {
    await expect(bookPayment({ accountId: newId(), kind: ADJUSTMENT })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: 'kind: must not be ADJUSTMENT',
    });
  });
});
