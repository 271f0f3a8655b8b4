import { createHash } from 'node:crypto';
import { Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDeposit } from './make-deposit.ts';
import { buildCharge } from './testing/build-charge.ts';
import { fundedAccount, leasingSession, settle } from './testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from './testing/ledger-fixture.ts';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());

describe('what the first form of the ledger has stored', () => {
  it('is known again when the same deposit is made once more', async () => {
    const accountId = await fundedAccount(ledger.pool, 500n);
    const hash = createHash('sha256')
      .update(JSON.stringify(['deposit', '500', 'test']))
      .digest();
    await ledger.pool.query('UPDATE ledger.deposits SET input_hash = $2 WHERE account_id = $1', [accountId, hash]);
    const again = { accountId, kind: 'deposit' as const, amountNanos: 500n, idempotencyKey: 'first', reason: 'test' };
    expect(await makeDeposit(ledger.pool, again)).toMatchObject({ repeated: true });
    await expect(makeDeposit(ledger.pool, { ...again, amountNanos: 501n })).rejects.toMatchObject({
      code: 'already_exists',
    });
  });

  it('is known again when the same charge is settled once more', async () => {
    const accountId = await fundedAccount(ledger.pool, 500n);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    const charge = buildCharge({ accountId, sessionId }, 10n);
    const content = Charge.encode({ ...charge, trace: undefined }).finish();
    const hash = createHash('sha256').update(content).digest().subarray(0, 16);
    expect(await settle(ledger.pool, charge)).toEqual([SettleOutcome.POSTED]);
    await ledger.pool.query('UPDATE ledger.charges SET content_hash = $2 WHERE account_id = $1', [accountId, hash]);
    const reported = { ...charge, reportedUsage: '{"input":-9}' };
    expect(await settle(ledger.pool, charge, reported, { ...charge, keyName: 'another' })).toEqual([
      SettleOutcome.DUPLICATE,
      SettleOutcome.DUPLICATE,
      SettleOutcome.QUARANTINED,
    ]);
  });
});
