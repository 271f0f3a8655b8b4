import { newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningConsole, type SignedIn } from '../../testing/running-console.ts';

let running: RunningConsole;
let accountId: string;
let owner: SignedIn;
let operator: SignedIn;
let keyId: string;
beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  owner = await running.signedIn('owner', accountId);
  operator = await running.signedIn('operator');
  const path = { account_id: accountId };
  for (let round = 0; round < 3; round++) {
    const { key } = await owner.api.ok('POST /accounts/{account_id}/keys', { path, body: { name: `key ${round}` } });
    keyId = key.key_id;
    await operator.api.ok('POST /accounts/{account_id}/deposits', {
      path,
      body: { kind: 'deposit', amount: '1', reason: `round ${round}`, idempotency_key: newId() },
    });
  }
  await owner.api.ok('PUT /accounts/{account_id}/alerts', { path, body: { thresholds: ['5'] } });
});
afterAll(() => running.stop());

const range = () => ({
  start: new Date(Date.now() - 3_600_000).toISOString(),
  end: new Date(Date.now() + 3_600_000).toISOString(),
});

/** Newest first, as far as this test made them. */
const CHANGES = [
  'thresholds.update',
  'deposit.create',
  'key.create',
  'deposit.create',
  'key.create',
  'deposit.create',
  'key.create',
];

async function listed(limit: number, query: { actor_id?: string; target_id?: string; action?: string } = {}) {
  const actions: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: { action: string }[]; next_cursor: string | null } = await owner.api.ok(
      'GET /accounts/{account_id}/audit',
      {
        path: { account_id: accountId },
        query: { ...range(), ...query, limit, ...(cursor === null ? {} : { cursor }) },
      },
    );
    actions.push(...page.data.map(({ action }) => action));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return actions;
}

describe('audit log', () => {
  it.each([1, 2, 200])('has the entries of auth and the ledger in one order, %i a page', async (limit) => {
    expect((await listed(limit)).slice(0, CHANGES.length)).toEqual(CHANGES);
  });

  it('can be filtered by who did what to what', async () => {
    expect(await listed(200, { actor_id: operator.personId })).toEqual(Array(3).fill('deposit.create'));
    expect(await listed(2, { actor_id: owner.personId, action: 'key' })).toEqual(Array(3).fill('key.create'));
    expect(await listed(200, { target_id: keyId })).toEqual(['key.create']);
  });

  it('says who made a change, and where', async () => {
    const { data } = await owner.api.ok('GET /accounts/{account_id}/audit', {
      path: { account_id: accountId },
      query: { ...range(), target_id: keyId },
    });
    expect(data).toMatchObject([
      {
        account_id: accountId,
        actor: { id: owner.personId, name: owner.email, role: 'owner', via: 'console' },
        target_name: 'key 2',
      },
    ]);
  });

  it('is exported as it is listed', async () => {
    const path = { account_id: accountId };
    const query = { ...range(), format: 'json' as const };
    const response = await owner.api.fetch('GET /accounts/{account_id}/audit/export', { path, query });
    const lines = (await response.text()).trimEnd().split('\n');
    // The export itself is the newest entry.
    const actions = lines.map((line) => JSON.parse(line).action);
    expect(actions[0]).toBe('audit.export');
    expect(actions).toEqual(await listed(200));
    const csv = await owner.api.fetch('GET /accounts/{account_id}/audit/export', {
      path,
      query: { ...query, format: 'csv' },
    });
    expect((await csv.text()).split('\r\n').slice(0, 2)).toEqual([
      'entry_id,created_at,account_id,actor_id,actor_name,actor_role,via,action,target_id,target_name,details',
      expect.stringContaining('audit.export'),
    ]);
  });

  it('of all accounts is for operators', async () => {
    const other = await running.createAccount('Other');
    const made = await operator.api.ok('GET /operator/audit', { query: { ...range(), target_id: other } });
    expect(made.data).toMatchObject([{ action: 'account.create', account_id: other, actor: { via: 'cli' } }]);
  });

  it('shows operators what people change of themselves', async () => {
    await owner.api.ok('PATCH /person', { body: { name: 'Ana' } });
    const query = { ...range(), target_id: owner.personId, action: 'person.update' };
    const { data } = await operator.api.ok('GET /operator/audit', { query });
    expect(data).toMatchObject([{ account_id: null, actor: { id: owner.personId, role: null, via: 'console' } }]);
    const csv = await operator.api.call('GET /operator/audit/export', { query: { ...query, format: 'csv' } });
    expect(String(csv.body)).toContain(`${owner.email},,console,person.update`);
  });
});

it('of all accounts names the account, and is filtered by it', async () => {
  const other = await running.createAccount('Another account');
  const path = { account_id: other };
  await operator.api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'theirs' } });
  const { data } = await operator.api.ok('GET /operator/audit', { query: { ...range(), account_id: other } });
  expect(data.length).toBeGreaterThan(0);
  expect(new Set(data.map(({ account_name }) => account_name))).toEqual(new Set(['Another account']));
  expect(data.map(({ action }) => action)).toContain('key.create');
});
