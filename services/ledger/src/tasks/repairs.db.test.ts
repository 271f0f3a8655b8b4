import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { idFloor, newId } from '@tollgate/common/ids';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { fundedAccount, openedSession, settle } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { readBalance } from '../store/balances.ts';

const PROGRAM = fileURLToPath(new URL('../task.ts', import.meta.url));

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());
afterEach(() => ledger.pool.query('DELETE FROM ledger.quarantine'));

function task(...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: ledger.url, TOLLGATE_OPERATOR: 'ana' };
  return spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8' });
}

async function audited(action: string) {
  const { rows } = await ledger.pool.query(
    'SELECT actor_name, actor_via, details FROM ledger.audit WHERE action = $1',
    [action],
  );
  return rows;
}

const lines = (output: string) =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

function deposit(accountId: string, amountNanos: bigint) {
  return makeDeposit(ledger.pool, { accountId, kind: 'deposit', amountNanos, idempotencyKey: newId(), reason: 'test' });
}

/** A charge of an account that nobody has funded yet: quarantined. */
async function ofUnknownAccount(costNanos: bigint) {
  const charge = buildCharge({ accountId: newId(), sessionId: newId() }, costNanos);
  await settle(ledger.pool, charge);
  return charge;
}

describe('repost', () => {
  it('posts a charge once its cause is gone, under the name of who runs it', async () => {
    const charge = await ofUnknownAccount(2_000_000_000n);
    await deposit(charge.accountId, 5_000_000_000n);
    const { status, stdout } = task('repost', charge.accountId, charge.requestId);
    expect(status).toBe(0);
    expect(lines(stdout)).toMatchObject([{ request_id: charge.requestId, outcome: 'posted', cost: '2', charged: '2' }]);
    expect(await readBalance(ledger.pool, charge.accountId)).toMatchObject({ available: 3_000_000_000n, leased: 0n });
    expect(await audited('quarantine.repost')).toMatchObject([{ actor_name: 'ana', actor_via: 'cli' }]);
    expect(await brokenInvariants(ledger.pool)).toEqual([]);
  });

  it('posts all, those above what is available with a loss, and ends with status 1 for those that stay', async () => {
    const charges = [await ofUnknownAccount(30n), await ofUnknownAccount(30n)];
    for (const { accountId } of charges) await deposit(accountId, 20n);
    const accountId = await fundedAccount(ledger.pool, 100n);
    const requestId = `${idFloor(Date.now() + 3_600_000).slice(0, 13)}-7000-8000-${newId().slice(24)}`;
    await settle(ledger.pool, buildCharge({ accountId, sessionId: await openedSession(ledger.pool), requestId }, 30n));
    const { status, stdout } = task('repost', '--all');
    expect(status).toBe(1);
    const outcomes = lines(stdout).map(({ outcome, charged }) => `${outcome} ${charged}`);
    expect(outcomes.sort()).toEqual(['loss 0.00000002', 'loss 0.00000002', 'quarantined 0']);
    expect(await readBalance(ledger.pool, accountId)).toMatchObject({ available: 100n, leased: 0n });
  });

  it('refuses what is not named, or not quarantined', () => {
    expect(task('repost')).toMatchObject({ status: 1, stdout: expect.stringContaining('or --all') });
    expect(task('repost', newId(), newId())).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('no such record is quarantined'),
    });
  });
});

it('reconcile ends with status 0 when the ledger is right, and with 1 and the rows when it is not', async () => {
  const accountId = await fundedAccount(ledger.pool, 500n);
  const right = task('reconcile');
  expect(right.status).toBe(0);
  expect(JSON.parse(right.stdout)).toMatchObject({ findings_total: 0, findings: [] });
  await ledger.pool.query('UPDATE ledger.deposits SET amount_nanos = 501 WHERE account_id = $1', [accountId]);
  const wrong = task('reconcile');
  expect(wrong.status).toBe(1);
  expect(JSON.parse(wrong.stdout)).toMatchObject({
    findings_total: 2,
    findings: [{ invariant: 'deposit_equals_transfers', accountId, expected: '-501', found: '-500' }, {}],
  });
  await ledger.pool.query('UPDATE ledger.deposits SET amount_nanos = 500 WHERE account_id = $1', [accountId]);
  expect(await audited('ledger.reconcile')).toMatchObject([
    { actor_name: 'ana', details: { findings: '0' } },
    { details: { findings: '2' } },
  ]);
});

it('a task without a name says which there are', () => {
  expect(task()).toMatchObject({ status: 2, stderr: expect.stringContaining('raise-epoch, reconcile, repost') });
});
