import { newId } from '@tollgate/common/ids';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { closeSession } from '../leases/end-session.ts';
import { readLots } from '../store/lots.ts';
import { collectDebt } from './debts.ts';
import { type DepositInput, makeDeposit } from './make-deposit.ts';

let ledger: LedgerFixture;
let accountId: string;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

async function move(amountNanos: bigint, fields: Partial<DepositInput> = {}): Promise<string> {
  const kind = amountNanos > 0n ? 'deposit' : 'adjustment';
  const input = { accountId, kind, amountNanos, idempotencyKey: newId(), reason: 'test', ...fields } as const;
  return (await makeDeposit(ledger.pool, input)).deposit.depositId;
}

/** Charges an amount, with no credit left on a lease. */
async function spend(amount: bigint): Promise<void> {
  const sessionId = await leasingSession(ledger.pool, accountId, amount);
  await settle(ledger.pool, buildCharge({ accountId, sessionId }, amount));
  await closeSession(ledger.pool, sessionId);
}

/** What is left of the lots that have something left, in the order in which they are spent. */
async function left(): Promise<[string, bigint][]> {
  const { lots } = await readLots(ledger.pool, accountId);
  return lots.filter(({ remaining }) => remaining > 0n).map(({ kind, remaining }) => [kind, remaining]);
}

async function owed(): Promise<bigint> {
  const { rows } = await ledger.pool.query('SELECT -receivable AS owed FROM ledger.balances WHERE account_id = $1', [
    accountId,
  ]);
  return rows[0].owed;
}

describe('lots', () => {
  it('are made by credit, and spent the oldest first', async () => {
    accountId = newId();
    await move(100n);
    await move(40n, { kind: 'adjustment' });
    await move(60n, { kind: 'refund' });
    await spend(110n);
    const right = [
      ['granted', 30n],
      ['paid', 60n],
    ];
    expect(await left()).toEqual(right);
    // The next movement writes what was only computed.
    await move(5n);
    expect(await left()).toEqual([...right, ['paid', 5n]]);
    await move(-95n);
    expect(await left()).toEqual([]);
  });

  it('get what is left of a credit that pays a debt', async () => {
    accountId = newId();
    await move(10n);
    await move(-50n, { kind: 'dispute' });
    const deposit = await move(30n);
    await move(30n);
    expect(await left()).toEqual([['paid', 20n]]);
    // What paid the debt is gone.
    await expect(move(-1n, { kind: 'refund', credit: { by: 'id', depositId: deposit } })).rejects.toMatchObject({
      message: 'amount_nanos: takes more than the 0 USD left of that credit',
    });
  });
});

describe('a refund', () => {
  it('takes what is left of its payment, and nothing else', async () => {
    accountId = newId();
    await move(100n, { idempotencyKey: 'stripe:pi_1' });
    await move(100n, { idempotencyKey: 'stripe:pi_2' });
    await spend(70n);
    const credit = { by: 'key', key: 'stripe:pi_1' } as const;
    await expect(move(-31n, { kind: 'refund', credit })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: 'amount_nanos: takes more than the 0.00000003 USD left of that credit',
    });
    await move(-20n, { kind: 'refund', credit });
    expect(await left()).toEqual([
      ['paid', 10n],
      ['paid', 100n],
    ]);
    await move(-100n, { kind: 'refund', credit: { by: 'key', key: 'stripe:pi_2' } });
    expect(await left()).toEqual([['paid', 10n]]);
    await expect(move(-1n, { kind: 'refund', credit: { by: 'key', key: 'stripe:pi_3' } })).rejects.toThrow('0 USD');
  });

  it('that failed can be made again', async () => {
    accountId = newId();
    await move(100n, { idempotencyKey: 'stripe:pi_1' });
    await move(100n);
    const credit = { by: 'key', key: 'stripe:pi_1' } as const;
    await move(-100n, { kind: 'refund', credit });
    await move(100n, { kind: 'refund', credit });
    await spend(100n);
    await move(-100n, { kind: 'refund', credit });
    expect(await left()).toEqual([]);
  });

  it('of a payment that is back at the provider takes other credit for what is spent of it', async () => {
    accountId = newId();
    await move(100n, { idempotencyKey: 'stripe:pi_1' });
    await move(50n, { kind: 'adjustment' });
    await spend(80n);
    await move(-100n, { kind: 'refund', oweRefund: true, credit: { by: 'key', key: 'stripe:pi_1' } });
    expect(await left()).toEqual([]);
    expect(await owed()).toBe(30n);
    await move(30n);
  });

  it('without a payment takes paid credit only', async () => {
    accountId = newId();
    await move(50n, { kind: 'adjustment' });
    await move(30n);
    await expect(move(-31n, { kind: 'refund' })).rejects.toThrow(
      'amount_nanos: takes more than the 0.00000003 USD left of paid credit',
    );
    await move(-30n, { kind: 'refund' });
    expect(await left()).toEqual([['granted', 50n]]);
  });

  it('of granted credit, or of no deposit of the account, is refused', async () => {
    accountId = newId();
    await move(30n);
    const depositId = await move(50n, { kind: 'adjustment' });
    await expect(move(-10n, { kind: 'refund', credit: { by: 'id', depositId } })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: 'deposit_id: is granted credit; only paid credit can be refunded',
    });
    const unknown = { by: 'id', depositId: newId() } as const;
    await expect(move(-10n, { kind: 'refund', credit: unknown })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a dispute', () => {
  it('takes its payment first, then the other lots in order, then owes', async () => {
    accountId = newId();
    await move(40n, { kind: 'adjustment' });
    await move(100n, { idempotencyKey: 'stripe:pi_1' });
    await move(60n);
    await spend(50n);
    const credit = { by: 'key', key: 'stripe:pi_1' } as const;
    await move(-80n, { kind: 'dispute', credit });
    expect(await left()).toEqual([
      ['paid', 10n],
      ['paid', 60n],
    ]);
    await move(-100n, { kind: 'dispute', credit });
    expect(await left()).toEqual([]);
    expect(await owed()).toBe(30n);
    // The credit that comes back is of the payment again.
    await move(100n, { credit });
    expect(await left()).toEqual([['paid', 70n]]);
    await move(-70n, { kind: 'refund', credit });
  });

  it('leaves to lots what open requests hold; what they return pays the debt', async () => {
    accountId = newId();
    await move(100n, { idempotencyKey: 'stripe:pi_1' });
    await move(50n, { kind: 'adjustment' });
    const sessionId = await leasingSession(ledger.pool, accountId, 120n);
    const available = 150n - (await leased());
    await move(-100n, { kind: 'dispute', credit: { by: 'key', key: 'stripe:pi_1' } });
    expect(await owed()).toBe(100n - available);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 30n));
    await closeSession(ledger.pool, sessionId);
    await collectDebt(ledger.pool, accountId);
    expect(await owed()).toBe(0n);
    expect(await left()).toEqual([['granted', 20n]]);
  });
});

async function leased(): Promise<bigint> {
  const { rows } = await ledger.pool.query('SELECT leased FROM ledger.balances WHERE account_id = $1', [accountId]);
  return rows[0].leased;
}

describe('an account from before lots', () => {
  it('has one paid lot, which any of its payments can take', async () => {
    accountId = newId();
    await move(100n, { idempotencyKey: 'stripe:pi_1' });
    await spend(30n);
    await asBefore();
    expect(await left()).toEqual([['paid', 70n]]);
    await move(20n, { kind: 'adjustment' });
    await move(-60n, { kind: 'refund', credit: { by: 'key', key: 'stripe:pi_1' } });
    expect(await left()).toEqual([
      ['paid', 10n],
      ['granted', 20n],
    ]);
  });

  /** As the migration leaves accounts. */
  async function asBefore(): Promise<void> {
    await ledger.pool.query('DELETE FROM ledger.lots WHERE account_id = $1', [accountId]);
    await ledger.pool.query('UPDATE ledger.balances SET attributed = NULL WHERE account_id = $1', [accountId]);
  }
});

describe('a replica of the release before lots', () => {
  /** Moves money without lots. */
  async function moveWithoutLots(amount: bigint): Promise<void> {
    const { rows: before } = await ledger.pool.query('SELECT * FROM ledger.lots WHERE account_id = $1', [accountId]);
    const attributed = (
      await ledger.pool.query('SELECT attributed FROM ledger.balances WHERE account_id = $1', [accountId])
    ).rows[0].attributed;
    await move(amount);
    await ledger.pool.query('DELETE FROM ledger.lots WHERE account_id = $1', [accountId]);
    for (const row of before) {
      await ledger.pool.query('INSERT INTO ledger.lots SELECT * FROM jsonb_populate_record(NULL::ledger.lots, $1)', [
        JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
      ]);
    }
    await ledger.pool.query('UPDATE ledger.balances SET attributed = $2 WHERE account_id = $1', [
      accountId,
      attributed,
    ]);
  }

  it('may add and take credit: the next movement has it in the lots', async () => {
    accountId = newId();
    await move(100n);
    await spend(20n);
    await moveWithoutLots(50n);
    expect(await left()).toEqual([
      ['paid', 30n],
      ['paid', 100n],
    ]);
    expect(await brokenInvariants(ledger.pool)).toHaveLength(1);
    await move(1n);
    expect(await brokenInvariants(ledger.pool)).toEqual([]);
    await moveWithoutLots(-85n);
    expect(await brokenInvariants(ledger.pool)).toHaveLength(1);
    await move(1n);
    expect(await left()).toEqual([
      ['paid', 45n],
      ['paid', 1n],
      ['paid', 1n],
    ]);
  });
});
