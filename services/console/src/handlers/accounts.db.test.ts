import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { parseDollars } from '@tollgate/common/money';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../testing/api-client.ts';
import { RunningConsole, type SignedIn } from '../../testing/running-console.ts';
import { startMailingAlerts } from '../jobs/mail-alerts.ts';

let running: RunningConsole;
let operator: SignedIn;
beforeAll(async () => {
  running = await RunningConsole.start();
  operator = await running.signedIn('operator');
});
afterAll(() => running.stop());

const CALL = { deadlineMs: 20_000 };
const HOUR_MS = 3_600_000;
const range = () => ({
  start: new Date(Date.now() - 24 * HOUR_MS).toISOString(),
  end: new Date(Date.now() + HOUR_MS).toISOString(),
});

/** A new account with an owner. */
async function newAccount(): Promise<{ path: { account_id: string }; accountId: string; owner: ApiClient }> {
  const accountId = await running.createAccount();
  return { accountId, path: { account_id: accountId }, owner: (await running.signedIn('owner', accountId)).api };
}

describe('deposit', () => {
  it('credits the account once, names the person who did, and is audited', async () => {
    const { path, owner } = await newAccount();
    const body = { kind: 'deposit' as const, amount: '12.5', reason: 'invoice 7', idempotency_key: newId() };
    const made = await operator.api.ok('POST /accounts/{account_id}/deposits', { path, body });
    expect(made).toMatchObject({ repeated: false, balance: { available: '12.5' } });
    const repeated = await operator.api.ok('POST /accounts/{account_id}/deposits', { path, body });
    expect(repeated).toMatchObject({ deposit_id: made.deposit_id, repeated: true, balance: { available: '12.5' } });
    const { data } = await owner.ok('GET /accounts/{account_id}/deposits', { path, query: range() });
    expect(data).toMatchObject(
      [{ ...made, kind: 'deposit', amount: '12.5', created_by: operator.email }].map(
        ({ repeated: _, balance: __, ...shown }) => shown,
      ),
    );
    const audit = await owner.ok('GET /accounts/{account_id}/audit', {
      path,
      query: { ...range(), action: 'deposit' },
    });
    expect(audit.data).toMatchObject([
      { action: 'deposit.create', actor: { id: operator.personId, name: operator.email, via: 'console' } },
    ]);
  });

  it('of another input under the same key, or of no account, is refused', async () => {
    const { path } = await newAccount();
    const body = { kind: 'deposit' as const, amount: '1', reason: 'r', idempotency_key: newId() };
    await operator.api.ok('POST /accounts/{account_id}/deposits', { path, body });
    const other = { ...body, amount: '2' };
    expect(await operator.api.call('POST /accounts/{account_id}/deposits', { path, body: other })).toMatchObject({
      status: 409,
    });
    const nowhere = { account_id: newId() };
    expect(await operator.api.call('POST /accounts/{account_id}/deposits', { path: nowhere, body })).toMatchObject({
      status: 404,
    });
    const tooMuch = { ...body, amount: '1234567890' };
    expect(await operator.api.call('POST /accounts/{account_id}/deposits', { path, body: tooMuch })).toMatchObject({
      status: 400,
      error: { field: 'amount' },
    });
  });
});

describe('account', () => {
  it('is renamed by its owner, who may not change its discount', async () => {
    const { path, owner } = await newAccount();
    expect(await owner.ok('PATCH /accounts/{account_id}', { path, body: { name: 'New name' } })).toMatchObject({
      name: 'New name',
    });
    const refused = await owner.call('PATCH /accounts/{account_id}', { path, body: { discount_percent: '50' } });
    expect(refused).toMatchObject({ status: 403 });
    const limits = { requests_per_minute: 10, tokens_per_minute: null, open_requests: null };
    const changed = await operator.api.ok('PATCH /accounts/{account_id}', {
      path,
      body: { discount_percent: '12.5', limits },
    });
    expect(changed).toMatchObject({ discount_percent: '12.5', limits });
    const tooMuch = await operator.api.call('PATCH /accounts/{account_id}', {
      path,
      body: { discount_percent: '101' },
    });
    expect(tooMuch).toMatchObject({ status: 400, error: { field: 'discount_percent' } });
  });

  it('has prices of its own by rules that only operators set and see', async () => {
    const { path, owner } = await newAccount();
    const rules = [
      { model: 'claude-*', markup_percent: '20' },
      { model: '*', markup_percent: '-12.5' },
    ];
    const body = { price_rules: rules };
    expect(await owner.call('PATCH /accounts/{account_id}', { path, body })).toMatchObject({ status: 403 });
    expect(await operator.api.ok('PATCH /accounts/{account_id}', { path, body })).toMatchObject(body);
    expect(await operator.api.ok('GET /accounts/{account_id}', { path })).toMatchObject(body);
    expect(await owner.ok('GET /accounts/{account_id}', { path })).not.toHaveProperty('price_rules');
    const renamed = await owner.ok('PATCH /accounts/{account_id}', { path, body: { name: 'New name' } });
    expect(renamed).not.toHaveProperty('price_rules');
    const query = { ...range(), action: 'account.update' };
    const seen = JSON.stringify(await owner.ok('GET /accounts/{account_id}/audit', { path, query }));
    expect(seen).toContain('New name');
    expect(seen).not.toMatch(/price_rules|claude/);
    const { data } = await operator.api.ok('GET /accounts/{account_id}/audit', { path, query });
    expect(data[1]?.details).toEqual({ price_rules: 'none → claude-* +20 %, * -12.5 %' });
    const wrong = (price_rules: unknown) =>
      operator.api.call('PATCH /accounts/{account_id}', { path, body: { price_rules } as typeof body });
    expect(await wrong([{ model: '*', markup_percent: '-100.0001' }])).toMatchObject({
      status: 400,
      error: { field: 'price_rules[0].markup_percent' },
    });
    expect(await wrong([rules[0], { model: ' ', markup_percent: '1' }])).toMatchObject({
      status: 400,
      error: { field: 'price_rules[1].model' },
    });
  });

  it('is suspended with a reason that only operators see, and resumed', async () => {
    const { path, owner } = await newAccount();
    const body = { reason: 'unpaid' };
    const suspended = await operator.api.ok('POST /accounts/{account_id}/suspend', { path, body });
    expect(suspended).toMatchObject({ status: 'suspended', suspension_reason: 'unpaid' });
    expect(await owner.ok('GET /accounts/{account_id}', { path })).toMatchObject({
      status: 'suspended',
      suspension_reason: null,
    });
    const resumed = await operator.api.ok('POST /accounts/{account_id}/resume', { path });
    expect(resumed).toMatchObject({ status: 'active', suspension_reason: null });
  });
});

describe('alerts', () => {
  it('are sent at thresholds of the account, until the defaults are restored', async () => {
    const { path, accountId, owner } = await newAccount();
    const set = await owner.ok('PUT /accounts/{account_id}/alerts', { path, body: { thresholds: ['1', '0.5'] } });
    expect(set).toEqual({ thresholds: ['1', '0.5'], own: true });
    await running.fund(accountId, 1_100_000_000n);
    await running.charge(accountId, { costNanos: 200_000_000n });
    await expect
      .poll(async () => (await owner.ok('GET /accounts/{account_id}/alerts', { path })).events)
      .toMatchObject([
        {
          type: 'balance.low',
          sentence: 'The balance fell to $0.90, to or below the threshold of $1.00.',
        },
      ]);
    const restored = await owner.ok('PUT /accounts/{account_id}/alerts', { path, body: { thresholds: null } });
    expect(restored.own).toBe(false);
    const refused = await owner.call('PUT /accounts/{account_id}/alerts', { path, body: { thresholds: ['1', 'x'] } });
    expect(refused).toMatchObject({ status: 400, error: { field: 'thresholds[1]' } });
  });
});

describe('alerts without SMTP', () => {
  it('are not mailed, and nothing waits for a mail server', async () => {
    const { path, accountId, owner } = await newAccount();
    const { console: served, ledger } = running;
    const job = startMailingAlerts(served.dependencies, { intervalMs: 10 });
    await owner.ok('PUT /accounts/{account_id}/alerts', { path, body: { thresholds: ['1'] } });
    await running.fund(accountId, 1_100_000_000n);
    await running.charge(accountId, { costNanos: 200_000_000n });
    const request = { afterEventId: '', limit: 1_000 };
    const listed = async () =>
      (await unaryCall(ledger.client.listEventsAfter.bind(ledger.client), request, CALL)).events;
    await expect.poll(async () => (await listed()).some((event) => event.accountId === accountId)).toBe(true);
    await job.stop();
    for (const table of ['alert_cursor', 'alert_mails']) {
      expect((await ledger.pool.query(`SELECT 1 FROM console.${table}`)).rows).toEqual([]);
    }
    expect(await owner.ok('GET /accounts/{account_id}/alerts', { path })).toMatchObject({
      mail: false,
      events: [{ mails: { sent: 0, pending: 0, failed: 0 } }],
    });
  });
});

describe('overview', () => {
  const overview = (api: ApiClient, path: { account_id: string }, interval: 'hour' | 'day' | 'month' = 'hour') =>
    api.ok('GET /accounts/{account_id}/overview', { path, query: { ...range(), interval } });

  it('of a new account says that nothing has happened yet', async () => {
    const { path, owner } = await newAccount();
    expect(await overview(owner, path)).toEqual({
      range: { start: expect.any(String), end: expect.any(String) },
      balance: { available: '0', held: '0', owed: '0', suspended: false, lots: [] },
      forecast: null,
      usage: [],
      total: { requests: 0, tokens: 0, cost: '0' },
      models: [],
      keys: [],
      projects: [],
      tags: [],
      refused: [],
      has_key: false,
      has_request: false,
    });
  });

  it('sums up by model, key and tag, exactly', async () => {
    const { path, accountId, owner } = await newAccount();
    await running.fund(accountId, 10_000n);
    const { key: ci } = await running.auth.createKey(accountId, { name: 'ci', tags: { team: 'a' } });
    const { key: old } = await running.auth.createKey(accountId, { name: 'old' });
    await running.charge(
      accountId,
      { keyId: ci.keyId, model: 'small', costNanos: 1_000n },
      { keyId: ci.keyId, model: 'large', costNanos: 500n },
      { keyId: old.keyId, model: 'large', costNanos: 700n },
    );
    await running.auth.deleteKey(old.keyId);
    await running.refuse(accountId, {}, { reason: 'key_deleted' }, {});
    const shown = await overview(owner, path);
    expect(shown).toMatchObject({
      balance: { available: '0.0000078' },
      total: { requests: 3, tokens: 2_200, cost: '0.0000022' },
      models: [
        { model: 'large', requests: 2, cost: '0.0000012' },
        { model: 'small', requests: 1, cost: '0.000001' },
      ],
      keys: [
        { key_id: ci.keyId, name: 'ci', requests: 2, cost: '0.0000015' },
        { key_id: old.keyId, name: 'old', requests: 1, cost: '0.0000007' },
      ],
      tags: [{ name: 'team', value: 'a', requests: 2, cost: '0.0000015' }],
      refused: [
        { reason: 'insufficient_balance', label: 'Balance too low', count: 2 },
        { reason: 'key_deleted', label: 'Deleted key', count: 1 },
      ],
      has_key: true,
      has_request: true,
    });
    expect(shown.usage.map(({ model, cost }) => [model, cost])).toEqual([
      ['large', '0.0000012'],
      ['small', '0.000001'],
    ]);
    // Within a day of the first charge, the rate is what was spent.
    expect(shown.forecast).toMatchObject({ spent_per_day: '0.0000022' });
    const days = (Date.parse(shown.forecast?.runs_out_at ?? '') - Date.now()) / (24 * HOUR_MS);
    expect(days).toBeCloseTo(7_800 / 2_200, 2);
    for (const interval of ['day', 'month'] as const) {
      expect((await overview(owner, path, interval)).total).toEqual(shown.total);
    }
  });

  it('has the usage of the keys that spent most over time, and of all others together', async () => {
    const { path, accountId, owner } = await newAccount();
    await running.fund(accountId, 100_000n);
    const charges = Array.from({ length: 12 }, (_, index) => ({ keyId: newId(), costNanos: BigInt(1_000 + index) }));
    await running.charge(accountId, ...charges, ...charges.slice(0, 2));
    const query = { ...range(), interval: 'month' as const, group_by: 'key' as const };
    const { usage, keys, total } = await owner.ok('GET /accounts/{account_id}/overview', { path, query });
    const named = new Map(usage.map(({ key_id, requests, cost }) => [key_id, { requests, cost }]));
    const [least, less] = [charges[2], charges[3]];
    expect(keys).toHaveLength(10);
    expect([...named.keys()].sort()).toEqual([null, ...keys.map(({ key_id }) => key_id)].sort());
    expect([least, less].map((charge) => named.has(charge?.keyId ?? ''))).toEqual([false, false]);
    expect(named.get(null)).toEqual({ requests: 2, cost: '0.000002005' });
    expect(named.get(charges[0]?.keyId ?? '')).toEqual({ requests: 2, cost: '0.000002' });
    const sum = usage.reduce((nanos, { cost }) => nanos + (parseDollars(cost) ?? 0n), 0n);
    expect(sum).toBe(parseDollars(total.cost));
    const billing = (await running.signedIn('billing', accountId)).api;
    const refused = await billing.call('GET /accounts/{account_id}/overview', { path, query });
    expect(refused).toMatchObject({ status: 403, error: { code: 'not_allowed', field: 'group_by' } });
  });

  it('sums up by project and owner, as requests named them, and of one of them alone', async () => {
    const { path, accountId, owner } = await newAccount();
    await running.fund(accountId, 10_000n);
    const body = { name: 'search' };
    const { project_id: search } = await owner.ok('POST /accounts/{account_id}/projects', { path, body });
    const [gone, ci] = [newId(), newId()];
    const at = (nodeId: string, scope: string) => ({ nodeId, scope, name: scope, caps: [] });
    await running.charge(
      accountId,
      { costNanos: 1_000n, nodes: [at(accountId, 'project')] },
      { costNanos: 500n, nodes: [at(search, 'project'), at(ci, 'service_account')] },
      { costNanos: 200n, nodes: [at(search, 'project')] },
      { costNanos: 50n, nodes: [at(gone, 'project')] },
    );
    expect((await overview(owner, path)).projects).toMatchObject([
      { project_id: accountId, name: 'default', requests: 1, cost: '0.000001' },
      { project_id: search, name: 'search', requests: 2, cost: '0.0000007' },
      { project_id: gone, name: null, requests: 1, cost: '0.00000005' },
    ]);
    const query = { ...range(), interval: 'month' as const };
    const of = async (place: { project_id?: string; owner_id?: string }) => {
      const shown = await owner.ok('GET /accounts/{account_id}/overview', { path, query: { ...query, ...place } });
      const { data } = await owner.ok('GET /accounts/{account_id}/requests', { path, query: { ...range(), ...place } });
      expect(data).toHaveLength(shown.total.requests);
      return shown.total.cost;
    };
    expect(await of({ project_id: search })).toBe('0.0000007');
    expect(await of({ project_id: search, owner_id: ci })).toBe('0.0000005');
    expect(await of({ project_id: gone, owner_id: ci })).toBe('0');
    const { data } = await owner.ok('GET /accounts/{account_id}/usage', {
      path,
      query: { ...query, group_by: 'project,owner', project_id: search },
    });
    expect(data.map(({ project_id, owner_id, cost }) => [project_id, owner_id, cost])).toEqual(
      expect.arrayContaining([
        [search, ci, '0.0000005'],
        [search, null, '0.0000002'],
      ]),
    );
    expect(data).toHaveLength(2);
  });

  it('has sums of one key alone', async () => {
    const { path, accountId, owner } = await newAccount();
    await running.fund(accountId, 10_000n);
    const { key: ci } = await running.auth.createKey(accountId, { name: 'ci' });
    const { key: other } = await running.auth.createKey(accountId, { name: 'other' });
    await running.charge(
      accountId,
      { keyId: ci.keyId, model: 'small', costNanos: 1_000n },
      { keyId: ci.keyId, model: 'large', costNanos: 500n },
      { keyId: other.keyId, model: 'large', costNanos: 700n },
    );
    const costs = async (query: { key_id?: string }) => {
      const usage = await owner.ok('GET /accounts/{account_id}/usage', {
        path,
        query: { ...range(), interval: 'month', group_by: 'model', ...query },
      });
      return new Map(usage.data.map(({ model, cost }) => [model, cost]));
    };
    expect(await costs({ key_id: ci.keyId })).toEqual(
      new Map([
        ['small', '0.000001'],
        ['large', '0.0000005'],
      ]),
    );
    expect(await costs({ key_id: newId() })).toEqual(new Map());
    expect((await costs({})).get('large')).toBe('0.0000012');
    const refused = await owner.call('GET /accounts/{account_id}/usage', {
      path,
      query: { ...range(), interval: 'month', key_id: 'x' },
    });
    expect(refused).toMatchObject({ status: 400, error: { field: 'key_id' } });
  });

  it('remembers that there was a request before the range', async () => {
    const { path, accountId, owner } = await newAccount();
    await running.fund(accountId, 10n);
    await running.charge(accountId, { costNanos: 1n });
    const query = { start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z', interval: 'day' as const };
    const shown = await owner.ok('GET /accounts/{account_id}/overview', { path, query });
    expect(shown).toMatchObject({ total: { requests: 0 }, has_key: false, has_request: true });
  });

  it('shows no keys to billing members, and a developer their own', async () => {
    const { path, accountId } = await newAccount();
    await running.fund(accountId, 1_000n);
    const { key } = await running.auth.createKey(accountId, { tags: { team: 'a' } });
    await running.charge(accountId, { keyId: key.keyId, costNanos: 100n });
    const billing = (await running.signedIn('billing', accountId)).api;
    expect(await overview(billing, path)).toMatchObject({
      total: { requests: 1 },
      keys: [],
      tags: [],
      has_key: true,
      has_request: true,
    });
    const developer = (await running.signedIn('developer', accountId)).api;
    expect(await overview(developer, path)).toMatchObject({
      total: { requests: 0 },
      keys: [],
      refused: [],
      has_key: false,
      has_request: false,
    });
  });
});

describe('search', () => {
  const search = async (api: ApiClient, path: { account_id: string }, q: string) =>
    (await api.ok('GET /accounts/{account_id}/search', { path, query: { q } })).data;

  it('finds keys, requests, models and members', async () => {
    const { path, accountId, owner } = await newAccount();
    const { key, secret } = await running.auth.createKey(accountId, { name: 'Nightly runs' });
    const { email, personId } = await running.signedIn('developer', accountId);
    await running.fund(accountId, 10n);
    const [charge] = await running.charge(accountId, { costNanos: 1n });
    const [refusal] = await running.refuse(accountId, {});
    const keyMatch = [{ kind: 'key', id: key.keyId, title: 'Nightly runs' }];
    expect(await search(owner, path, 'nightly')).toMatchObject(keyMatch);
    expect(await search(owner, path, secret.slice(-4))).toMatchObject(keyMatch);
    expect(await search(owner, path, charge?.requestId ?? '')).toMatchObject([
      {
        kind: 'request',
        id: charge?.requestId,
        subtitle: expect.stringMatching(/^completed \d{4}-\d\d-\d\d \d\d:\d\d UTC$/),
      },
    ]);
    expect(await search(owner, path, refusal?.traceId ?? '')).toMatchObject([
      { kind: 'request', id: refusal?.requestId },
    ]);
    expect(await search(owner, path, 'SMALL-LATEST')).toMatchObject([{ kind: 'model', id: 'small' }]);
    expect(await search(owner, path, email)).toMatchObject([{ kind: 'member', id: personId }]);
    expect(await search(owner, path, 'no such thing')).toEqual([]);
  });

  it('finds only what the caller may see', async () => {
    const { path, accountId } = await newAccount();
    await running.auth.createKey(accountId, { name: 'Nightly runs' });
    const { email } = await running.signedIn('admin', accountId);
    for (const role of ['developer', 'billing'] as const) {
      const { api } = await running.signedIn(role, accountId);
      expect(await search(api, path, 'nightly')).toEqual([]);
      expect(await search(api, path, email)).toEqual([]);
    }
  });
});
