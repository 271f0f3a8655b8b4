import { newId } from '@tollgate/common/ids';
import { makeDeposit } from '@tollgate/ledger/deposits/make-deposit';
import { readBalance } from '@tollgate/ledger/store/balances';
import { idFloor } from '@tollgate/ledger/store/time';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import { brokenInvariants } from '@tollgate/ledger/testing/check-invariants';
import { acquire, fundedAccount, leasingSession, openedSession, settle } from '@tollgate/ledger/testing/ledger-calls';
import { type ServedLedger, serveLedger } from '@tollgate/ledger/testing/serve-ledger';
import { Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../testing/run-cli.ts';
import { startTokenServer, type TokenServer } from '../../testing/token-server.ts';

const { DUPLICATE, QUARANTINED } = SettleOutcome;

let ledger: ServedLedger;
let tokens: TokenServer;
beforeAll(async () => {
  [ledger, tokens] = await Promise.all([serveLedger(), startTokenServer()]);
});
afterAll(async () => {
  await tokens.stop();
  await ledger.drop();
});
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
  await ledger.pool.query('DELETE FROM ledger.quarantine');
});

function tollgate(...args: string[]) {
  return runCli(['quarantine', ...args], {
    env: { AUTH_ADDRESS: tokens.address, LEDGER_ADDRESS: `127.0.0.1:${ledger.server.port}` },
  });
}

function deposit(accountId: string, amountNanos: bigint) {
  return makeDeposit(ledger.pool, { accountId, kind: 'deposit', amountNanos, idempotencyKey: newId(), reason: 'test' });
}

/** A charge of an account that nobody has funded yet: quarantined. */
async function ofUnknownAccount(costNanos: bigint) {
  const charge = buildCharge({ accountId: newId(), sessionId: newId() }, costNanos);
  expect(await settle(ledger.pool, charge)).toEqual([QUARANTINED]);
  return charge;
}

describe('a quarantined charge', () => {
  it('is listed, posted once its cause is gone, and a duplicate when it is sent again later', async () => {
    const charge = await ofUnknownAccount(2_000_000_000n);
    const listed = JSON.parse((await tollgate('list', '--json')).stdout);
    expect(listed).toMatchObject({
      more: false,
      charges: [{ account_id: charge.accountId, request_id: charge.requestId, cost: '2', times_seen: '1' }],
    });
    expect(listed.charges[0].reason).toBe('the account is unknown');
    await deposit(charge.accountId, 5_000_000_000n);
    const posted = await tollgate('repost', charge.accountId, charge.requestId);
    expect(posted).toMatchObject({ status: 0, stderr: '' });
    expect(posted.stdout).toMatch(/ posted +2 +2\n$/);
    expect(await readBalance(ledger.pool, charge.accountId)).toMatchObject({ available: 3_000_000_000n, leased: 0n });
    expect((await tollgate('list')).stdout).toBe('Nothing is quarantined.\n');
    expect(await settle(ledger.pool, charge)).toEqual([DUPLICATE]);
    const again = await tollgate('repost', charge.accountId, charge.requestId, '--json');
    expect(JSON.parse(again.stdout).charges).toMatchObject([{ outcome: 'posted before', charged: '2' }]);
    expect(await readBalance(ledger.pool, charge.accountId)).toMatchObject({ available: 3_000_000_000n });
  });

  it('takes nothing of a lease that an ingress still counts on', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = await leasingSession(ledger.pool, accountId, 60n);
    const charge = buildCharge({ accountId, sessionId }, 30n);
    const future = {
      ...charge,
      requestId: `${idFloor(Date.now() + 3_600_000).slice(0, 13)}-7000-8000-${newId().slice(24)}`,
    };
    expect(await settle(ledger.pool, future)).toEqual([QUARANTINED]);
    // Its time has come: the record as it would be by now.
    await ledger.pool.query('UPDATE ledger.quarantine SET request_id = $1, charge = $2', [
      charge.requestId,
      Buffer.from(Charge.encode(charge).finish()),
    ]);
    expect((await tollgate('repost', '--all')).status).toBe(0);
    expect(await readBalance(ledger.pool, accountId)).toMatchObject({ available: 10n, leased: 60n });
    expect(await acquire(ledger.pool, sessionId, accountId, 60n, 2n)).toMatchObject({
      grantedTotal: 60n,
      spentTotal: 0n,
    });
  });

  it('that still cannot be posted stays, and moves nothing', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const requestId = `${idFloor(Date.now() + 3_600_000).slice(0, 13)}-7000-8000-${newId().slice(24)}`;
    const sessionId = await openedSession(ledger.pool);
    await settle(ledger.pool, buildCharge({ accountId, sessionId, requestId }, 30n));
    const sessions = async () => (await ledger.pool.query('SELECT FROM ledger.sessions')).rowCount;
    const before = await sessions();
    const failed = await tollgate('repost', accountId, requestId);
    expect(failed).toMatchObject({ status: 1, stderr: 'error: 1 of 1 charges are still quarantined\n' });
    expect(failed.stdout).toContain('request_id is in the future');
    expect(await readBalance(ledger.pool, accountId)).toMatchObject({ available: 100n, leased: 0n });
    expect(await sessions()).toBe(before);
    expect((await tollgate('list', '--account', accountId)).stdout).toContain(requestId);
  });

  it('above what is available is posted with a loss, by --all as well', async () => {
    const charges = [await ofUnknownAccount(30n), await ofUnknownAccount(30n)];
    for (const { accountId } of charges) await deposit(accountId, 20n);
    const all = JSON.parse((await tollgate('repost', '--all', '--json')).stdout);
    expect(all.charges.map(({ outcome, charged }: { outcome: string; charged: string }) => [outcome, charged])).toEqual(
      [
        ['posted with a loss', '0.00000002'],
        ['posted with a loss', '0.00000002'],
      ],
    );
    expect((await tollgate('list')).stdout).toBe('Nothing is quarantined.\n');
  });

  it('is named by its content where its request has several', async () => {
    const charge = await ofUnknownAccount(30n);
    const other = buildCharge({ ...charge, lines: [], costNanos: 40n, holdNanos: 40n }, 40n);
    const line = { bucket: 'output', quantity: 40n, rateNanosPerMillion: 1_000_000n, amountNanos: 40n };
    expect(await settle(ledger.pool, { ...other, lines: [line] })).toEqual([QUARANTINED]);
    await deposit(charge.accountId, 100n);
    const unclear = await tollgate('repost', charge.accountId, charge.requestId);
    expect(unclear).toMatchObject({ status: 1, stderr: expect.stringContaining('several quarantined records') });
    const { charges } = JSON.parse((await tollgate('list', '--json')).stdout);
    const { content } = charges.find(({ cost }: { cost: string }) => cost === '0.00000004');
    expect((await tollgate('repost', charge.accountId, charge.requestId, '--content', content)).status).toBe(0);
    expect(await readBalance(ledger.pool, charge.accountId)).toMatchObject({ available: 60n });
    // The other one contradicts what is posted now.
    const contradicting = await tollgate('repost', charge.accountId, charge.requestId);
    expect(contradicting).toMatchObject({ status: 1, stdout: expect.stringContaining('different content') });
  });
});

it.each([[[]], [[newId()]], [[newId(), newId(), '--all']]])(
  'a repost of nothing or too much is refused: %j',
  async (args) => {
    expect(await tollgate('repost', ...args)).toMatchObject({ status: 2, stdout: '' });
  },
);

it('a repost of what is not quarantined is refused', async () => {
  expect(await tollgate('repost', newId(), newId())).toMatchObject({
    status: 1,
    stderr: 'error: no such record is quarantined\n',
  });
});
