import { newId } from '@tollgate/common/ids';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, issueThisMonth, openedSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { type DepositInput, makeDeposit } from '../deposits/make-deposit.ts';
import { listStatementLines } from '../store/statement-lines.ts';
import { listStatements } from '../store/statements.ts';
import { monthStart } from '../store/time.ts';

let ledger: LedgerFixture;
let accountId: string;
let sessionId: string;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
beforeEach(async () => {
  accountId = newId();
  sessionId = await openedSession(ledger.pool);
});
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

const thisMonth = monthStart(Date.now());

function credit(amountNanos: bigint, fields: Partial<DepositInput> = {}) {
  const input = { accountId, kind: 'deposit', amountNanos, idempotencyKey: newId(), reason: 'test' } as const;
  return makeDeposit(ledger.pool, { ...input, ...fields });
}

const statements = () => listStatements(ledger.pool, accountId, Number.MAX_SAFE_INTEGER, 100);

async function lines(monthMs = thisMonth) {
  const found = await listStatementLines(ledger.pool, accountId, monthMs, { after: 0, limit: 1_000 });
  return found.map(({ line }) => line);
}

describe('a statement', () => {
  it('says what moved the balance in its month', async () => {
    await credit(100n);
    await credit(30n, { kind: 'adjustment', reason: 'welcome' });
    await credit(-20n, { kind: 'refund' });
    await credit(-5n, { kind: 'dispute' });
    await acquire(ledger.pool, sessionId, accountId, 90n);
    await settle(
      ledger.pool,
      buildCharge({ accountId, sessionId, model: 'b' }, 25n),
      buildCharge({ accountId, sessionId, model: 'a' }, 7n),
      buildCharge({ accountId, sessionId, model: 'b' }, 3n),
    );
    const month = await issueThisMonth(ledger.pool, accountId);
    expect(await statements()).toEqual([
      {
        accountId,
        month,
        openingNanos: 0n,
        depositsNanos: 100n,
        refundsNanos: -20n,
        disputesNanos: -5n,
        adjustmentsNanos: 30n,
        chargesNanos: -35n,
        expiredNanos: 0n,
        closingNanos: 70n,
        issuedAtMs: expect.any(BigInt),
      },
    ]);
    expect((await lines()).map(({ amountNanos, model, requests }) => [amountNanos, model, requests])).toEqual([
      [100n, '', undefined],
      [30n, '', undefined],
      [-20n, '', undefined],
      [-5n, '', undefined],
      [-7n, 'a', 1n],
      [-28n, 'b', 2n],
    ]);
  });
});
