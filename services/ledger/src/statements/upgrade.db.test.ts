import { expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createClockedLedger } from '../../testing/ledger-clock.ts';
import { silent } from '../../testing/ledger-fixture.ts';
import { createOlderLedger } from '../../testing/older-ledger.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { createStatementIssuer } from '../jobs/issue-statements.ts';
import { endLotsOf } from '../lots/end-lots.ts';
import { buildLateIndexes, LateIndexes } from '../store/late-indexes.ts';
import { listStatements } from '../store/statements.ts';
import { DAY_MS } from '../store/time.ts';

/** The last migration before there were statements. */
const LAST_WITHOUT = 13;
const JANUARY = Date.UTC(2026, 0, 10);
const NEVER = new AbortController().signal;

it('a ledger of an older release gets the statements of all its months', async () => {
  const older = await createOlderLedger(LAST_WITHOUT);
  const ledger = await createClockedLedger(JANUARY, older.ledger);
  try {
    const { pool } = ledger;
    const accountId = await fundedAccount(pool, 100n);
    const lot = { kind: 'granted', priority: 0, endsAtMs: BigInt(JANUARY + DAY_MS) } as const;
    const granted = {
      accountId,
      kind: 'adjustment',
      amountNanos: 30n,
      idempotencyKey: 'granted',
      reason: 'test',
    } as const;
    await makeDeposit(pool, { ...granted, lot });
    const sessionId = await leasingSession(pool, accountId, 20n);
    await older.upgrade();
    await settle(pool, buildCharge({ accountId, sessionId }, 12n));
    // What is still leased, 8, does not end.
    await ledger.setTime(Date.UTC(2026, 1, 3));
    await endLotsOf(pool, accountId);
    await ledger.setTime(Date.UTC(2026, 3, 3));

    const issue = createStatementIssuer({ pool, lateIndexes: new LateIndexes(pool), logger: silent });
    await issue(NEVER);
    expect(await listStatements(pool, accountId, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    expect(await buildLateIndexes(pool, NEVER)).toContain('transfers_2026_02_expired');
    await issue(NEVER);
    expect(await listStatements(pool, accountId, Number.MAX_SAFE_INTEGER, 10)).toMatchObject([
      { month: '2026-03', openingNanos: 108n, closingNanos: 108n },
      { month: '2026-02', openingNanos: 118n, expiredNanos: -10n, closingNanos: 108n },
      { month: '2026-01', openingNanos: 0n, chargesNanos: -12n, adjustmentsNanos: 30n, closingNanos: 118n },
    ]);
    expect(await brokenInvariants(pool)).toEqual([]);
  } finally {
    await ledger.drop();
  }
});
