import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, billing, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { readStream } from '@tollgate/test-support/gateway/sse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectBillingError, expectModelError } from './support/errors.ts';

const BALANCE = 10_000_000_000n;
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 50, ...simulate({ output_tokens: 3 }) };
const BACK = { timeout: 30_000, interval: 100 };
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Makes sequential calls, all of which must succeed. @returns their ids */
async function callTimes(account: Account, times: number): Promise<string[]> {
  const ids: string[] = [];
  for (let call = 0; call < times; call += 1) {
    const response = await gateway.chat(account.key, CALL);
    expect({ status: response.status, text: response.status === 200 ? '' : response.text }).toEqual({
      status: 200,
      text: '',
    });
    ids.push(String(response.headers['x-request-id']));
  }
  return ids;
}

async function statusOf(account: Account): Promise<number> {
  return (await gateway.chat(account.key, CALL)).status;
}

/** Every received response has one charge, and they add up to the change of the balance. */
async function expectCharged(account: Account, ids: readonly string[]): Promise<void> {
  for (const id of ids) await recordOf(gateway, account, id);
  const records = await allRecords(gateway, account);
  expect(records).toHaveLength(ids.length);
  const spent = records.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
  expect(await balanceOf(gateway, account)).toBe(BALANCE - spent);
}

it('a killed ledger: calls continue on leased credit, and are charged after its restart', async () => {
  const account = await gateway.accounts.create(BALANCE);
  const newcomer = await gateway.accounts.create(BALANCE);
  const before = await callTimes(account, 5);
  await gateway.stack.kill('ledger');
  const meanwhile = await callTimes(account, 5);
  const refused = await gateway.chat(newcomer.key, CALL);
  expectModelError(refused, { status: 503, type: 'internal_error' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expectBillingError(await billing(gateway, account, 'balance'), 503, 'internal_error');
  expect((await gateway.send({ path: '/v1/models', headers: { 'x-api-key': newcomer.key } })).status).toBe(200);
  await gateway.stack.restart('ledger');
  await expect.poll(() => statusOf(newcomer), BACK).toBe(200);
  await expectCharged(account, [...before, ...meanwhile]);
});

it('a killed ingress: every received response is charged once', async () => {
  const account = await gateway.accounts.create(BALANCE);
  const ids = (await Promise.all(Array.from({ length: 25 }, () => callTimes(account, 4)))).flat();
  await gateway.stack.kill('ingress');
  await gateway.stack.restart('ingress');
  await expectCharged(account, ids);
});

it('a stopping ingress finishes its streams first', async () => {
  const account = await gateway.accounts.create(BALANCE);
  const body = { ...CALL, stream: true, ...simulate({ output_tokens: 40, token_delay_ms: 30 }) };
  const stream = await open(gateway.baseUrl, chatRequest(account.key, body));
  const [response] = await Promise.all([readStream(stream), gateway.stack.restart('ingress')]);
  expect(response.data.at(-1)).toBe('[DONE]');
  expect(await recordOf(gateway, account, response.headers['x-request-id'])).toMatchObject({
    status: 'completed',
    usage: { input: 8, output: 40 },
  });
});

it('a killed router: the last routes stay in use', async () => {
  const account = await gateway.accounts.create(BALANCE);
  await gateway.stack.kill('router');
  const ids = await callTimes(account, 5);
  await gateway.stack.restart('router');
  await expectCharged(account, ids);
});

it('a killed auth: cached keys work for some seconds, then none, and all work after its restart', async () => {
  const account = await gateway.accounts.create(BALANCE);
  await callTimes(account, 1);
  const unknown = await gateway.accounts.createKey(account.accountId);
  await gateway.stack.kill('auth');
  expect(await statusOf(account)).toBe(200);
  expectModelError(await gateway.chat(unknown.key, CALL), { status: 503, type: 'internal_error' });
  await expect.poll(() => statusOf(account), { interval: 250 }).toBe(503);
  await gateway.stack.restart('auth');
  await expect.poll(() => statusOf(account), BACK).toBe(200);
  expect((await gateway.chat(unknown.key, CALL)).status).toBe(200);
});
