import { newId } from '@tollgate/common/ids';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import { fundedAccount, leasingSession, settle } from '@tollgate/ledger/testing/ledger-calls';
import { type ServedLedger, serveLedger } from '@tollgate/ledger/testing/serve-ledger';
import { ChargeStatus } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../testing/run-cli.ts';
import { startTokenServer, type TokenServer } from '../../testing/token-server.ts';

let ledger: ServedLedger;
let tokens: TokenServer;
beforeAll(async () => {
  [ledger, tokens] = await Promise.all([serveLedger(), startTokenServer()]);
});
afterAll(async () => {
  await tokens.stop();
  await ledger.drop();
});

function tollgate(...args: string[]) {
  return runCli(args, {
    env: { AUTH_ADDRESS: tokens.address, LEDGER_ADDRESS: `127.0.0.1:${ledger.server.port}` },
  });
}

async function json(...args: string[]) {
  const { status, stdout, stderr } = await tollgate('--json', ...args);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('deposits create', () => {
  it('prints what was credited, debited and owed, and the resulting balance', async () => {
    const accountId = newId();
    const create = (...args: string[]) => tollgate('deposits', 'create', accountId, ...args);
    expect((await create('--amount', '10')).stdout).toMatch(/^Credited: 10 USD\.\n/);
    await leasingSession(ledger.pool, accountId, 7_000_000_000n);
    const refused = await create('--amount', '-4', '--kind', 'adjustment', '--no-owing');
    expect(refused).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/\nerror: amount_nanos: takes more than the 3 USD available\n$/),
    });
    const disputed = await create('--amount', '-10', '--kind', 'dispute', '--idempotency-key', 'case 1');
    expect(disputed.stdout).toMatch(
      /^Taken: 3 USD\. Owed now, because the balance was too low: 7 USD\.\nThe account is suspended until it has paid the 7 USD it owes\.\n/,
    );
    const again = await create('--amount', '-10', '--kind', 'dispute', '--idempotency-key', 'case 1');
    expect(again.stdout).toMatch(/^This repeats an earlier call and changes nothing\..*\nTaken: 3 USD\./);
    expect((await tollgate('balance', accountId)).stdout).toMatch(
      /\nowed +7 USD\nsuspended +until the owed amount is paid\n$/,
    );
    expect(await json('balance', accountId)).toMatchObject({ balance: '7', owed: '7', suspended: true });
    expect((await create('--amount', '8')).stdout).toMatch(/^Credited: 1 USD\. Paid of what was owed: 7 USD\.\n/);
    expect(await json('balance', accountId)).toMatchObject({ balance: '8', owed: '0', suspended: false });
    const { deposits } = await json('deposits', 'list', accountId);
    expect(deposits.map((each: { kind: string; owed: string }) => [each.kind, each.owed])).toEqual([
      ['deposit', '-7'],
      ['dispute', '7'],
      ['deposit', '0'],
    ]);
    const { events } = await json('events', 'list', accountId);
    expect(events).toMatchObject([
      { type: 'account.unsuspended', data: { balance: '8' }, state: 'pending', attempts: 0, last_error: null },
      { type: 'account.suspended', data: { owed: '7', balance: '7' }, state: 'pending' },
    ]);
    expect((await tollgate('events', 'list', accountId)).stdout).toContain('account.suspended');
  });
});

describe('requests get', () => {
  it('shows where the usage comes from, and what was reported and rejected', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    const reportedUsage = '{"input":9,"output":1e+308}';
    for (const [fields, shown, reported] of [
      [{}, 'as reported', null],
      [{ usageEstimated: true }, 'estimated', null],
      [{ usageEstimated: true, reportedUsage }, `estimated, reported as ${reportedUsage}`, { input: 9, output: 1e308 }],
    ] as const) {
      const charge = buildCharge({ accountId, sessionId, ...fields });
      await settle(ledger.pool, charge);
      const { stdout } = await tollgate('requests', 'get', accountId, charge.requestId);
      expect(stdout.match(/^usage +(.*)$/m)?.[1]).toBe(shown);
      expect(await json('requests', 'get', accountId, charge.requestId)).toMatchObject({ reported_usage: reported });
    }
  });
});

describe('requests', () => {
  it('says why one failed, with each attempt and what to do next', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    const timeout = { deployment: 'gpt@b', startedMs: 5, durationMs: 1_200, cause: 'timeout', providerStatus: 0 };
    const attempts = [{ ...timeout, deployment: 'gpt@a', cause: 'server_error', providerStatus: 503 }, timeout];
    const error = { status: ChargeStatus.FAILED, httpStatus: 504, errorType: 'internal_error', attempts };
    const charge = buildCharge({ accountId, sessionId, finishReason: '', ...error }, 0n);
    await settle(ledger.pool, charge);
    expect((await tollgate('requests', 'list', accountId)).stdout).toContain(' failed (timeout) ');
    const { stdout } = await tollgate('requests', 'get', accountId, charge.requestId);
    expect(stdout).toMatch(/^failure +The provider did not respond in time\.$/m);
    expect(stdout).toMatch(/^client got +504 internal_error$/m);
    expect(stdout).toMatch(/^what to do +Retry\. /m);
    expect(stdout).toMatch(/^gpt@a +5 +1200 +Provider error +503$/m);
    expect(stdout).toMatch(/^gpt@b +5 +1200 +Timeout +none$/m);
    expect(await json('requests', 'get', accountId, charge.requestId)).toMatchObject({
      failure: { http_status: 504, error_type: 'internal_error', cause: 'timeout', provider_status: null },
      attempts: [{ outcome: 'server_error', provider_status: 503 }, { outcome: 'timeout' }],
    });
  });

  it('shows as cost what the account paid, as the billing API does, and apart from it what the operator lost', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    const charge = buildCharge({ accountId, sessionId, holdNanos: 4n }, 10n);
    await settle(ledger.pool, charge);
    const shown = await json('requests', 'get', accountId, charge.requestId);
    expect(shown).toMatchObject({
      cost: '0.000000004',
      operator_loss: '0.000000006',
      hold: '0.000000004',
      discount_percent: '0',
      usage: Object.fromEntries(charge.lines.map(({ bucket, quantity }) => [bucket, Number(quantity)])),
    });
    expect((await json('requests', 'list', accountId)).requests).toEqual([shown]);
    const { stdout } = await tollgate('requests', 'get', accountId, charge.requestId);
    expect(stdout).toMatch(/^cost +0\.000000004 USD$/m);
    expect(stdout).toMatch(/^operator loss +0\.000000006 USD$/m);
  });
});

describe('balance thresholds', () => {
  it('are shown, set, set to none and back to those of the ledger', async () => {
    const accountId = newId();
    const thresholds = async (...args: string[]) =>
      (await tollgate('balance', 'thresholds', accountId, ...args)).stdout;
    expect(await thresholds()).toBe("There are none (the ledger's default).\n");
    expect(await thresholds('1', '5.50', '0')).toBe("5.5 USD, 1 USD, 0 USD (the account's own)\n");
    expect(await json('balance', 'thresholds', accountId)).toEqual({
      account_id: accountId,
      thresholds: ['5.5', '1', '0'],
      currency: 'USD',
      own: true,
    });
    expect(await thresholds('--none')).toBe("There are none (the account's own).\n");
    expect(await thresholds('--default')).toBe("There are none (the ledger's default).\n");
  });

  it.each([[['-1']], [['five']], [['1', '--none']], [['--none', '--default']]])('are refused: %j', async (args) => {
    expect(await tollgate('balance', 'thresholds', newId(), ...args)).toMatchObject({ status: 2, stdout: '' });
  });
});
