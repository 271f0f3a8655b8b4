import { newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeSession } from '../leases/end-session.ts';
import { returnCredit } from '../leases/return-credit.ts';
import { makeDeposit } from '../make-deposit.ts';
import { buildCharge } from '../testing/build-charge.ts';
import { brokenInvariants } from '../testing/check-invariants.ts';
import { fundedAccount, leasingSession, settle } from '../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../testing/ledger-fixture.ts';
import type { Invariant } from './finding.ts';
import { reconcile } from './reconcile.ts';

/** Everything at once, also what was posted a moment ago. */
const NOW = { budgetMs: 20_000, lagMs: 0, openHours: true, full: false };

let ledger: LedgerFixture;
let accountId: string;
let sessionId: string;
let requestId: string;
let depositId: string;

beforeAll(async () => {
  ledger = await createLedger();
  const { pool } = ledger;
  for (let count = 0; count < 3; count++) {
    const other = await fundedAccount(pool, 5_000n);
    const session = await leasingSession(pool, other, 1_000n);
    await settle(pool, buildCharge({ accountId: other, sessionId: session }, 30n));
    await closeSession(pool, session);
  }
  accountId = await fundedAccount(pool, 10_000n);
  sessionId = await leasingSession(pool, accountId, 2_000n);
  const charges = [100n, 200n, 0n].map((cost) => buildCharge({ accountId, sessionId }, cost));
  // One above its hold, and one without a lease: the operator bears those.
  charges.push(buildCharge({ accountId, sessionId, holdNanos: 10n }, 25n));
  charges.push(buildCharge({ accountId, sessionId: newId(), model: 'other' }, 7n));
  await settle(pool, ...charges);
  requestId = charges[0]?.requestId ?? '';
  await returnCredit(pool, sessionId, { accountId, returnedTotal: 300n });
  const adjustment = {
    accountId,
    kind: 'adjustment' as const,
    amountNanos: -500n,
    idempotencyKey: 'a',
    reason: 'test',
  };
  depositId = (await makeDeposit(pool, adjustment)).deposit.depositId;
});
afterAll(() => ledger.drop());

/** Changes rows as no code of ours does: without triggers and without what constraints forbid. */
async function tamper(sql: string, values: unknown[] = []): Promise<void> {
  await ledger.pool.query(sql, values);
}

async function findings(options: {
  full: boolean;
}): Promise<{ invariant: Invariant; place: object; expected: unknown; found: unknown }[]> {
  const report = await reconcile(ledger.pool, { ...NOW, ...options });
  expect(report.complete).toBe(true);
  return report.findings.map((finding) => ({
    invariant: finding.invariant,
    place: JSON.parse(finding.place),
    expected: JSON.parse(finding.expected),
    found: JSON.parse(finding.found),
  }));
}

it('proves a history of deposits, leases, charges, losses and returns, step by step and from its rows', async () => {
  expect(await findings({ full: false })).toEqual([]);
  expect(await findings({ full: true })).toEqual([]);
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
  const again = await reconcile(ledger.pool, NOW);
  expect(again).toMatchObject({ complete: true, charges: 0, transfers: 0, findingsTotal: 0 });
});

interface Breach {
  what: string;
  invariant: Invariant;
  /** Only a full pass looks at rows again that were found right once. */
  fullOnly?: boolean;
  broken: () => Promise<void>;
  mended: () => Promise<void>;
  place: () => object;
  expected: unknown;
  found: unknown;
}

const breaches: Breach[] = [
  {
    what: 'a balance with money from nowhere',
    invariant: 'balance_equals_entries',
    broken: () =>
      tamper('UPDATE ledger.balances SET available = available + 5, revenue = revenue - 5 WHERE account_id = $1', [
        accountId,
      ]),
    mended: () =>
      tamper('UPDATE ledger.balances SET available = available - 5, revenue = revenue + 5 WHERE account_id = $1', [
        accountId,
      ]),
    place: () => ({ table: 'balances', account_id: accountId, column: 'available' }),
    expected: 7_800,
    found: 7_805,
  },
  {
    what: 'a lease that says it spent more',
    invariant: 'lease_equals_entries',
    broken: () =>
      tamper('UPDATE ledger.leases SET spent = spent + 3 WHERE account_id = $1 AND session_id = $2', [
        accountId,
        sessionId,
      ]),
    mended: () =>
      tamper('UPDATE ledger.leases SET spent = spent - 3 WHERE account_id = $1 AND session_id = $2', [
        accountId,
        sessionId,
      ]),
    place: () => ({ table: 'leases', account_id: accountId, session_id: sessionId }),
    expected: { granted: 2_000, spent: 310, returned: 300 },
    found: { granted: 2_000, spent: 313, returned: 300 },
  },
];

describe.each(breaches)('$what', (breach) => {
  it('is found with its row, and is gone once it is mended', async () => {
    await breach.broken();
    const wanted = {
      invariant: breach.invariant,
      place: breach.place(),
      expected: breach.expected,
      found: breach.found,
    };
    if (breach.fullOnly !== true) expect(await findings({ full: false })).toContainEqual(wanted);
    expect(await findings({ full: true })).toContainEqual(wanted);
    await breach.mended();
    await findings({ full: true });
    expect(await findings({ full: true })).toEqual([]);
    expect(depositId + requestId).not.toBe('');
  });
});
