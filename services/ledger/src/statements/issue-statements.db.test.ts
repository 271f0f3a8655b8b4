import { newId } from '@tollgate/common/ids';
import { type Charge, LotKind } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, openedSession, settle } from '../../testing/ledger-calls.ts';
import { type ClockedLedger, createClockedLedger } from '../../testing/ledger-clock.ts';
import { silent } from '../../testing/ledger-fixture.ts';
import { type DepositInput, makeDeposit } from '../deposits/make-deposit.ts';
import { endLotsOf } from '../lots/end-lots.ts';
import { listStatementLines } from '../store/statement-lines.ts';
import { listStatements } from '../store/statements.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';
import { type IssueOutcome, issueStatements } from './issue-statements.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const JANUARY = at('2026-01-20T10:00');
const ENDS = at('2027-01-31T00:00');

let ledger: ClockedLedger;
let accountId: string;
let sessionId: string;
beforeAll(async () => {
  ledger = await createClockedLedger(JANUARY);
});
afterAll(() => ledger.drop());
beforeEach(async () => {
  accountId = newId();
  await ledger.setTime(JANUARY);
  sessionId = await openedSession(ledger.pool);
});
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

function credit(amountNanos: bigint, fields: Partial<DepositInput> = {}) {
  const input = { accountId, kind: 'deposit', amountNanos, idempotencyKey: newId(), reason: 'top-up' } as const;
  return makeDeposit(ledger.pool, { ...input, ...fields });
}

/** A charge of a request that began this long ago. */
function charged(costNanos: bigint, agoMs = 0, fields: Partial<Charge> = {}): Charge {
  const nowMs = Date.now();
  const requestMs = nowMs - agoMs;
  const requestId = requestMs.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-') + newId().slice(13);
  return buildCharge(
    { accountId, sessionId, requestId, startedAtMs: BigInt(requestMs), model: 'm', ...fields },
    costNanos,
  );
}

async function issue(): Promise<IssueOutcome[]> {
  const outcomes: IssueOutcome[] = [];
  await issueStatements({ pool: ledger.pool, logger: silent }, accountId, Date.now(), (one) => outcomes.push(one));
  return outcomes;
}

const statements = async () => (await listStatements(ledger.pool, accountId, Number.MAX_SAFE_INTEGER, 100)).reverse();

async function lines(month: string) {
  const found = await listStatementLines(ledger.pool, accountId, at(`${month}-01T00:00`), { after: 0, limit: 1_000 });
  return found.map(({ line }) => line);
}

describe('a statement', () => {
  it('says what moved the balance in its month, in order', async () => {
    const { deposit } = await credit(100n);
    await ledger.setTime(JANUARY + 1);
    await credit(30n, {
      kind: 'adjustment',
      reason: 'welcome',
      lot: { kind: undefined, priority: undefined, endsAtMs: BigInt(ENDS) },
    });
    await ledger.setTime(JANUARY + 2);
    await credit(-20n, { kind: 'refund' });
    await ledger.setTime(JANUARY + 3);
    await credit(-5n, { kind: 'dispute' });
    await acquire(ledger.pool, sessionId, accountId, 90n);
    await settle(ledger.pool, charged(25n, 0, { model: 'b' }), charged(7n, 0, { model: 'a' }));
    await settle(ledger.pool, charged(3n, 0, { model: 'b' }), charged(4n, DAY_MS));
    await ledger.setTime(at('2026-02-02T00:00'));
    expect(await issue()).toEqual(['issued']);
    expect(await statements()).toEqual([
      {
        accountId,
        month: '2026-01',
        openingNanos: 0n,
        depositsNanos: 100n,
        refundsNanos: -20n,
        disputesNanos: -5n,
        adjustmentsNanos: 30n,
        chargesNanos: -39n,
        expiredNanos: 0n,
        closingNanos: 66n,
        issuedAtMs: BigInt(at('2026-02-02T00:00')),
      },
    ]);
    const found = await lines('2026-01');
    expect(found[0]).toEqual({
      kind: 1,
      atMs: BigInt(JANUARY),
      reference: deposit?.depositId,
      description: 'top-up',
      model: '',
      requests: undefined,
      lotKind: LotKind.PAID,
      endsAtMs: undefined,
      amountNanos: 100n,
    });
    expect(found[1]).toMatchObject({ lotKind: LotKind.GRANTED, endsAtMs: BigInt(ENDS) });
    expect(found[2]).toMatchObject({ lotKind: LotKind.UNSPECIFIED, endsAtMs: undefined });
    expect(found.map(({ amountNanos, model, requests }) => [amountNanos, model, requests])).toEqual([
      [100n, '', undefined],
      [30n, '', undefined],
      [-20n, '', undefined],
      [-5n, '', undefined],
      [-4n, 'm', 1n],
      [-7n, 'a', 1n],
      [-28n, 'b', 2n],
    ]);
  });

  it('is issued a day after its month, once, and one for each month since the first deposit', async () => {
    await credit(100n);
    await ledger.setTime(at('2026-02-01T23:59:59.999'));
    expect(await issue()).toEqual([]);
    for (const [time, amount] of [
      ['2026-02-28T23:59:59.999', 7n],
      ['2026-03-01T00:00', 8n],
    ] as const) {
      await ledger.setTime(at(time));
      await credit(amount);
    }
    await ledger.setTime(at('2026-04-20T00:00'));
    expect(await issue()).toEqual(['issued', 'issued', 'issued']);
    expect(await issue()).toEqual([]);
    const figures = (await statements()).map(({ month, openingNanos, closingNanos }) => [
      month,
      openingNanos,
      closingNanos,
    ]);
    expect(figures).toEqual([
      ['2026-01', 0n, 100n],
      ['2026-02', 100n, 107n],
      ['2026-03', 107n, 115n],
    ]);
    expect(await lines('2026-02')).toMatchObject([{ amountNanos: 7n }]);
  });

  it('has charges that came after it in the next one, under their day, with those of the month that began since', async () => {
    await credit(100n);
    await acquire(ledger.pool, sessionId, accountId, 90n);
    await settle(ledger.pool, charged(10n));
    await ledger.setTime(at('2026-02-02T00:00'));
    await issue();
    const january = [await statements(), await lines('2026-01')];
    const agoMs = at('2026-02-02T00:00') - JANUARY;
    await settle(
      ledger.pool,
      charged(2n, agoMs),
      charged(3n, agoMs),
      charged(5n),
      charged(0n, agoMs, { model: 'free' }),
    );
    expect([await statements(), await lines('2026-01')]).toEqual(january);
    await ledger.setTime(at('2026-03-02T00:00'));
    expect(await issue()).toEqual(['issued']);
    const day = (text: string) => BigInt(at(`${text}T00:00`));
    expect(
      (await lines('2026-02')).map(({ atMs, model, requests, amountNanos }) => [atMs, model, requests, amountNanos]),
    ).toEqual([
      [day('2026-01-20'), 'free', 1n, 0n],
      [day('2026-01-20'), 'm', 2n, -5n],
      [day('2026-02-02'), 'm', 1n, -5n],
    ]);
    await ledger.setTime(at('2026-04-02T00:00'));
    await issue();
    expect(await lines('2026-03')).toEqual([]);
    expect((await statements()).at(-1)).toMatchObject({ closingNanos: 80n });
  });

  it('has credit that ended, and a closing balance below zero where the account owes', async () => {
    const { deposit } = await credit(50n, {
      lot: { kind: 'granted', priority: 0, endsAtMs: BigInt(JANUARY + HOUR_MS) },
    });
    await credit(20n);
    await ledger.setTime(JANUARY + 2 * HOUR_MS);
    await endLotsOf(ledger.pool, accountId);
    await credit(-30n, { kind: 'dispute' });
    await ledger.setTime(at('2026-02-03T00:00'));
    expect(await issue()).toEqual(['issued']);
    await credit(25n);
    expect(await statements()).toMatchObject([{ expiredNanos: -50n, disputesNanos: -30n, closingNanos: -10n }]);
    expect((await lines('2026-01')).at(-1)).toMatchObject({
      kind: 6,
      reference: deposit?.depositId,
      amountNanos: -50n,
    });
    await ledger.setTime(at('2026-03-03T00:00'));
    await issue();
    expect((await statements()).at(-1)).toMatchObject({ openingNanos: -10n, depositsNanos: 25n, closingNanos: 15n });
  });

  it('is of no account without a deposit', async () => {
    await settle(ledger.pool, charged(0n));
    await ledger.setTime(at('2026-03-03T00:00'));
    expect(await issue()).toEqual([]);
    accountId = newId();
    expect(await issue()).toEqual([]);
  });

  it('never changes', async () => {
    await credit(5n);
    await ledger.setTime(at('2026-02-03T00:00'));
    await issue();
    for (const table of ['statements', 'statement_lines']) {
      const message = `rows of ledger.${table} are never changed or removed`;
      await expect(ledger.pool.query(`UPDATE ledger.${table} SET month_ms = 0`)).rejects.toThrow(message);
      await expect(ledger.pool.query(`DELETE FROM ledger.${table}`)).rejects.toThrow(message);
      await expect(ledger.pool.query(`TRUNCATE ledger.${table}`)).rejects.toThrow(message);
    }
  });
});

it('is of one moment, whatever is charged and paid while it is made', async () => {
  await credit(100n);
  await acquire(ledger.pool, sessionId, accountId, 90n);
  await ledger.setTime(at('2026-02-02T00:00'));
  const blocker = await ledger.pool.connect();
  await blocker.query('BEGIN; LOCK TABLE ledger.statement_lines IN EXCLUSIVE MODE');
  const issuing = issue();
  await expect
    .poll(async () => {
      const { rows } = await ledger.pool.query<{ waiting: number }>(
        "SELECT count(*)::int AS waiting FROM pg_locks WHERE relation = 'ledger.statement_lines'::regclass AND NOT granted",
      );
      return rows[0]?.waiting;
    })
    .toBe(1);
  await settle(ledger.pool, charged(10n, 3 * DAY_MS), charged(20n));
  await credit(5n);
  await blocker.query('COMMIT');
  blocker.release();
  expect(await issuing).toEqual(['issued']);
  expect(await statements()).toMatchObject([{ month: '2026-01', chargesNanos: 0n, closingNanos: 100n }]);
  await ledger.setTime(at('2026-03-02T00:00'));
  expect(await issue()).toEqual(['issued']);
  expect((await statements()).at(-1)).toMatchObject({ chargesNanos: -30n, depositsNanos: 5n, closingNanos: 75n });
});

describe('a statement that does not lead to the balance', () => {
  it.each([
    [
      'a charge more',
      'UPDATE ledger.usage_daily SET charged_nanos = charged_nanos + 1 WHERE account_id = $1',
      'UPDATE ledger.usage_daily SET charged_nanos = charged_nanos - 1 WHERE account_id = $1',
    ],
    [
      'a deposit that was recorded into a month with a statement',
      `UPDATE ledger.deposits SET created_at_ms = created_at_ms - 31 * ${DAY_MS}::bigint WHERE account_id = $1 AND reason = 'second'`,
      `UPDATE ledger.deposits SET created_at_ms = created_at_ms + 31 * ${DAY_MS}::bigint WHERE account_id = $1 AND reason = 'second'`,
    ],
    [
      'a deposit less',
      `UPDATE ledger.deposits SET amount_nanos = amount_nanos - 1 WHERE account_id = $1 AND reason = 'second'`,
      `UPDATE ledger.deposits SET amount_nanos = amount_nanos + 1 WHERE account_id = $1 AND reason = 'second'`,
    ],
  ])('is not issued: %s', async (_name, change, undo) => {
    await credit(100n);
    await acquire(ledger.pool, sessionId, accountId, 90n);
    await ledger.setTime(at('2026-02-15T00:00'));
    await issue();
    await credit(10n, { reason: 'second' });
    await settle(ledger.pool, charged(10n));
    await ledger.setTime(at('2026-04-15T00:00'));
    await ledger.pool.query(change, [accountId]);
    expect(await issue()).toEqual(['unequal']);
    expect(await statements()).toHaveLength(1);
    expect(await lines('2026-02')).toEqual([]);
    await ledger.pool.query(undo, [accountId]);
    expect(await issue()).toEqual(['issued', 'issued']);
    expect((await statements()).at(-1)).toMatchObject({ month: '2026-03', closingNanos: 100n });
  });
});
