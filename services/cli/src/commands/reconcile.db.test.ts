import { fundedAccount } from '@tollgate/ledger/testing/ledger-calls';
import { type ServedLedger, serveLedger } from '@tollgate/ledger/testing/serve-ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  return runCli([...args, '--ledger-address', `127.0.0.1:${ledger.server.port}`, '--auth-address', tokens.address]);
}

it('ends with status 0 when the ledger is right, and with 1 and the rows when it is not', async () => {
  const accountId = await fundedAccount(ledger.pool, 500n);
  expect(await tollgate('reconcile')).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/findings +0\n/),
  });
  await ledger.pool.query('UPDATE ledger.deposits SET amount_nanos = 501');
  const text = await tollgate('reconcile');
  expect(text).toMatchObject({ status: 1, stderr: 'error: the reconciliation has 2 findings\n' });
  expect(text.stdout).toContain(accountId);
  const json = await tollgate('reconcile', '--json');
  expect(json.status).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    findings_total: '2',
    findings: [{ invariant: 'deposit_equals_transfers', account_id: accountId, expected: '-501', found: '-500' }, {}],
  });
});
