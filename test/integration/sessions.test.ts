import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { dollars } from '@tollgate/test-support/gateway/money';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { fullRequest, PLENTY, PricedRequests } from './support/priced-requests.ts';
import { watchCaps } from './support/watch-caps.ts';

let gateway: Gateway;
let requests: PricedRequests;
let sql: pg.Pool;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: 3, ledgers: 2 });
  requests = new PricedRequests(gateway);
  sql = new pg.Pool({ connectionString: gateway.stack.facts.database_url, max: 1 });
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
});

function run(session: string, limitNanos: bigint): Record<string, string> {
  return { 'x-tollgate-session': session, 'x-tollgate-session-limit': dollars(limitNanos) };
}

/** The ids and figures of the ceilings of an account's sessions. */
async function ceilingsOf(accountId: string): Promise<{ node_id: string; limit_nanos: string; spent: string }[]> {
  const { rows } = await sql.query<{ node_id: string; limit_nanos: string; spent: string }>(
    `SELECT node_id, limit_nanos, spent FROM ledger.ceilings WHERE account_id = $1 AND period = 'session'
     ORDER BY limit_nanos`,
    [accountId],
  );
  return rows;
}

describe('a session with a limit for exactly 10 requests', () => {
  it('is never exceeded by 100 requests at once over three ingresses', async () => {
    const body = fullRequest({ head_delay_ms: 50 });
    const { hold, cost } = await requests.pricesOf(body);
    const limit = hold + 9n * cost;
    const account = await gateway.accounts.create(PLENTY);
    expect((await requests.chatAt(0, account.key, body, run('agent', limit))).status).toBe(200);
    const [ceiling] = await ceilingsOf(account.accountId);
    const watch = watchCaps(sql, ceiling?.node_id ?? '');
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => requests.decided(index, account.key, body, run('agent', limit))),
    );
    expect(await watch.stop()).toBeLessThanOrEqual(0n);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(responses.length - refused.length).toBe(9);
    for (const response of refused) {
      expect(response.status).toBe(400);
      expect(at(response.json, 'error', 'type')).toBe('insufficient_balance');
      expect(textAt(response.json, 'error', 'message')).toMatch(
        /the session agent has \$[\d.]+ left of its total spending cap of \$[\d.]+.*Start another session/,
      );
      expect(at(response.json, 'error', 'details', 'limit')).toMatchObject({
        scope: 'session',
        id: 'agent',
        name: 'agent',
        window: 'session',
        amount: dollars(limit),
        resets_at: null,
      });
    }
    // Other sessions of the key, and requests without one, go on.
    expect((await requests.chatAt(0, account.key, body, run('another', limit))).status).toBe(200);
    expect((await requests.chatAt(1, account.key, body)).status).toBe(200);
    await expect.poll(() => requests.spentBy(account)).toBe(12n * cost);
    const spent = async () => (await ceilingsOf(account.accountId)).map((row) => BigInt(row.spent)).sort();
    await expect.poll(spent).toEqual([cost, 10n * cost].sort());
  });
});

describe('a limit of a session', () => {
  it('can only fall', async () => {
    const { hold, cost } = await requests.pricesOf(fullRequest());
    const account = await gateway.accounts.create(PLENTY);
    const ask = (ingress: number, limit: bigint) =>
      requests.chatAt(ingress, account.key, fullRequest(), run('agent', limit));
    expect((await ask(0, 10n * hold)).status).toBe(200);
    expect((await ask(1, cost + hold)).status).toBe(200);
    // What another ingress still knows is a higher limit.
    expect((await ask(0, 10n * hold)).status).toBe(400);
    expect((await ask(2, 10n * hold)).status).toBe(400);
    const [ceiling] = await ceilingsOf(account.accountId);
    expect(ceiling?.limit_nanos).toBe(String(cost + hold));
  });

  it('is shown with what is spent of it', async () => {
    const { cost } = await requests.pricesOf(fullRequest());
    const account = await gateway.accounts.create(PLENTY);
    const headers = run('agent', PLENTY / 2n);
    const response = await requests.chatAt(0, account.key, fullRequest(), headers);
    expect(textAt(response.headers, 'ratelimit')).toMatch(/^"session";r=/);
    const shown = async () => {
      const { json } = await requests.getAt('/v1/billing/limits', account.key, headers);
      return at(json, 'data', 1);
    };
    await expect.poll(shown).toMatchObject({
      scope: 'session',
      id: 'agent',
      window: 'session',
      amount: dollars(PLENTY / 2n),
      spent: dollars(cost),
      resets_at: null,
    });
  });

  it('must be an amount, and needs a session', async () => {
    const account = await gateway.accounts.create(PLENTY);
    const ask = (headers: Record<string, string>) => requests.chatAt(0, account.key, fullRequest(), headers);
    for (const value of ['', '-1', '0', 'five', '1e3', '1,5']) {
      expectModelError(await ask({ 'x-tollgate-session': 'agent', 'x-tollgate-session-limit': value }), {
        status: 400,
        type: 'invalid_request_error',
        message: 'x-tollgate-session-limit: must be a positive amount of dollars',
      });
    }
    expectModelError(await ask({ 'x-tollgate-session-limit': '5' }), {
      status: 400,
      type: 'invalid_request_error',
      message: 'x-tollgate-session-limit: needs a session',
    });
  });
});
