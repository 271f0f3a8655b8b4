import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { readStream } from '@tollgate/test-support/gateway/sse';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Longer than the 20 ms of a real deployment, so that a busy machine does not miss it. */
const WAIT_MS = 2_000;
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 50, ...simulate({ output_tokens: 3 }) };

let gateway: Gateway;
let database: pg.Pool;

beforeAll(async () => {
  gateway = await startGateway({ env: { SETTLE_BEFORE_END_MS: String(WAIT_MS) } });
  database = new pg.Pool({ connectionString: gateway.stack.facts.database_url, max: 1 });
});
afterAll(async () => {
  await database.end();
  await gateway.stop();
});

/** Creates a call and reads its response to the end. @returns its request id */
async function call(account: Account, stream: boolean): Promise<string> {
  const response = await open(gateway.baseUrl, chatRequest(account.key, { ...CALL, stream }));
  const { status, headers, raw } = await readStream(response);
  expect({ status, raw }).toMatchObject({ status: 200 });
  return String(headers['x-request-id']);
}

async function committed(requestId: string): Promise<number> {
  return (await database.query('SELECT FROM ledger.charges WHERE request_id = $1', [requestId])).rowCount ?? 0;
}

it('with settle before end, the charge is committed the moment the client has the end', async () => {
  const account = await gateway.accounts.create(1_000_000_000n);
  for (let turn = 0; turn < 10; turn += 1) expect(await committed(await call(account, turn % 2 === 0))).toBe(1);
  const atOnce = await Promise.all(Array.from({ length: 50 }, (_, index) => call(account, index % 2 === 0)));
  for (const requestId of atOnce) expect(await committed(requestId)).toBe(1);
});

it('without a ledger the response ends all the same once the time has passed, and is charged later', async () => {
  const account = await gateway.accounts.create(1_000_000_000n);
  await call(account, true);
  await gateway.stack.kill('ledger');
  const begun = performance.now();
  const requestId = await call(account, true);
  const ms = performance.now() - begun;
  expect(ms).toBeGreaterThan(WAIT_MS - 100);
  expect(ms).toBeLessThan(WAIT_MS + 5_000);
  expect(await committed(requestId)).toBe(0);
  await gateway.stack.restart('ledger');
  await expect.poll(() => committed(requestId)).toBe(1);
  await recordOf(gateway, account, requestId);
});
