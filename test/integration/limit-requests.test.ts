import type { ApiClient } from '@tollgate/console/testing/api-client';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { dollars } from '@tollgate/test-support/gateway/money';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from './support/operator.ts';
import { fullRequest, PLENTY, PricedRequests } from './support/priced-requests.ts';

const INGRESSES = 3;
const DAY_MS = 86_400_000;

let gateway: Gateway;
let requests: PricedRequests;
let api: ApiClient;
let sql: pg.Pool;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: INGRESSES, ledgers: 2, console: true });
  requests = new PricedRequests(gateway);
  api = operatorOf(gateway);
  sql = new pg.Pool({ connectionString: gateway.stack.facts.database_url, max: 1 });
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
});

/** Statuses of a request at each ingress, one after the other. */
async function everywhere(key: string, headers: Record<string, string> = {}): Promise<number[]> {
  const statuses = [];
  for (let ingress = 0; ingress < INGRESSES; ingress += 1)
    statuses.push((await requests.decided(ingress, key, fullRequest(), headers)).status);
  return statuses;
}

/** Calls until it is refused, and asks for more of what refused it. @returns the path of the limit request */
async function askWhenStopped(accountId: string, key: { keyId: string; key: string }, headers = {}) {
  for (let calls = 0; calls < 20; calls += 1) {
    const { status, json } = await requests.decided(calls, key.key, fullRequest(), headers);
    if (status === 200) continue;
    const part = (name: string) => at(json, 'error', 'details', 'limit', name) as string;
    const [scope, window] = [part('scope') as 'project', part('window') as 'day'];
    const path = { account_id: accountId };
    const body = { key_id: key.keyId, scope, id: part('id'), window, reason: 'a large run' };
    const { limit_request_id } = await api.ok('POST /accounts/{account_id}/limit-requests', { path, body });
    return { ...path, limit_request_id };
  }
  throw new Error('20 calls were not refused');
}

const GRANT = 'POST /accounts/{account_id}/limit-requests/{limit_request_id}/grant';

describe('a limit of a project that refuses requests', () => {
  it('is raised for its day at every ingress when the grant returns, to the nano, and is the old one in the next day', async () => {
    const { hold, cost } = await requests.pricesOf(fullRequest());
    const { accountId } = await gateway.accounts.create(PLENTY);
    const projectId = await gateway.accounts.createProject(accountId, { caps: { dayNanos: hold } });
    const key = await gateway.accounts.createKey(accountId, { projectId });
    const path = await askWhenStopped(accountId, key);
    await api.ok(GRANT, { path, body: { amount: dollars(hold + 3n * cost), duration: 'window' } });
    expect(await everywhere(key.key)).toEqual([200, 200, 200]);
    expect(await everywhere(key.key)).toEqual([400, 400, 400]);

    // As if the grant was of the day before: only its window says which day it is for.
    await sql.query(
      `UPDATE auth.nodes SET grants = jsonb_set(grants, '{0,period_start_ms}', to_jsonb((grants->0->>'period_start_ms')::bigint - $2))
       WHERE node_id = $1`,
      [projectId, DAY_MS],
    );
    await gateway.accounts.updateProject(accountId, projectId, { allowedModels: { ids: [] } });
    const { rows } = await sql.query<{ limit_nanos: string }>(
      `SELECT limit_nanos FROM ledger.ceilings WHERE node_id = $1 AND period = 'day'`,
      [projectId],
    );
    expect(rows.map((row) => BigInt(row.limit_nanos))).toEqual([hold + 3n * cost]);
    expect(await everywhere(key.key)).toEqual([400, 400, 400]);
    await expect
      .poll(async () => {
        const { rows: later } = await sql.query<{ limit_nanos: string }>(
          `SELECT limit_nanos FROM ledger.ceilings WHERE node_id = $1 AND period = 'day'`,
          [projectId],
        );
        return later.map((row) => BigInt(row.limit_nanos));
      })
      .toEqual([hold]);
  });

  it('is raised for good, and not when it is declined', async () => {
    const { hold, cost } = await requests.pricesOf(fullRequest());
    const { accountId } = await gateway.accounts.create(PLENTY);
    const projectId = await gateway.accounts.createProject(accountId, { caps: { totalNanos: hold } });
    const key = await gateway.accounts.createKey(accountId, { projectId });
    const declined = await askWhenStopped(accountId, key);
    await api.ok('POST /accounts/{account_id}/limit-requests/{limit_request_id}/decline', { path: declined, body: {} });
    expect(await everywhere(key.key)).toEqual([400, 400, 400]);
    const path = await askWhenStopped(accountId, key);
    const detail = await api.ok('GET /accounts/{account_id}/limit-requests/{limit_request_id}', { path });
    expect(detail).toMatchObject({ status: 'open', limit: dollars(hold), usage: { limit: dollars(hold) } });
    await api.ok(GRANT, { path, body: { amount: dollars(hold + 3n * cost), duration: 'always' } });
    expect(await everywhere(key.key)).toEqual([200, 200, 200]);
    expect(await everywhere(key.key)).toEqual([400, 400, 400]);
  });
});

it('a session goes on with what it was granted, and no further, whatever its requests show', async () => {
  const { hold, cost } = await requests.pricesOf(fullRequest());
  const { accountId, ...key } = await gateway.accounts.create(PLENTY);
  const headers = { 'x-tollgate-session': 'run', 'x-tollgate-session-limit': dollars(hold) };
  const path = await askWhenStopped(accountId, key, headers);
  await api.ok(GRANT, { path, body: { amount: dollars(hold + 3n * cost), duration: 'window' } });
  expect(await everywhere(key.key, headers)).toEqual([200, 200, 200]);
  expect(await everywhere(key.key, headers)).toEqual([400, 400, 400]);
  const other = { ...headers, 'x-tollgate-session': 'another run' };
  await askWhenStopped(accountId, key, other);
});
