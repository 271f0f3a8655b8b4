import { newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../../testing/api-client.ts';
import { RunningConsole } from '../../../testing/running-console.ts';

let running: RunningConsole;
let operator: ApiClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  operator = (await running.signedIn('operator')).api;
});
afterAll(() => running.stop());

describe('accounts', () => {
  it('are created once for an idempotency key, and listed with their money', async () => {
    const body = { name: 'Research', idempotency_key: newId() };
    const created = await operator.ok('POST /operator/accounts', { body });
    expect((await operator.ok('POST /operator/accounts', { body })).account_id).toBe(created.account_id);
    await running.fund(created.account_id, 2_000_000_000n);
    await running.charge(created.account_id, { costNanos: 500_000_000n });
    const poor = await running.createAccount('Poor');
    const listed: {
      account_id: string;
      available: string;
      spent_this_month: string;
      runs_out_at: string | null;
      loss: string;
    }[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } = cursor === null ? { limit: 1 } : { limit: 1, cursor };
      const page: { data: typeof listed; next_cursor: string | null } = await operator.ok('GET /operator/accounts', {
        query,
      });
      listed.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(listed.find(({ account_id }) => account_id === created.account_id)).toMatchObject({
      available: '1.5',
      spent_this_month: '0.5',
      // At half a dollar a day.
      runs_out_at: expect.any(String),
      loss: '0',
    });
    const runsOutMs = Date.parse(listed.find(({ account_id }) => account_id === created.account_id)?.runs_out_at ?? '');
    expect((runsOutMs - Date.now()) / 86_400_000).toBeCloseTo(3, 1);
    expect(listed.find(({ account_id }) => account_id === poor)).toMatchObject({
      available: '0',
      spent_this_month: '0',
      runs_out_at: null,
    });
  });

  it('are found by a part of their name or by their id', async () => {
    const wanted = await running.createAccount('Wayne Enterprises');
    for (const q of ['wayne', 'ENTERPRISES', wanted]) {
      const { data } = await operator.ok('GET /operator/accounts', { query: { q } });
      expect(data.map(({ account_id }) => account_id)).toEqual([wanted]);
    }
  });
});

describe('search', () => {
  const search = async (q: string) => {
    const { data } = await operator.ok('GET /operator/search', { query: { q } });
    return data.map(({ kind, id, account_name }) => [kind, id, account_name]);
  };

  it('finds accounts, keys and requests of all accounts', async () => {
    const account = await running.createAccount('Stark Industries');
    await running.fund(account, 1_000n);
    const { key } = await running.auth.createKey(account, { name: 'stark-deploy' });
    const [charge] = await running.charge(account, { costNanos: 5n });
    const { requestId = '', traceId = '' } = charge ?? {};
    expect(await search('stark')).toEqual([
      ['account', account, 'Stark Industries'],
      ['key', key.keyId, 'Stark Industries'],
    ]);
    expect(await search(account)).toEqual([['account', account, 'Stark Industries']]);
    expect(await search(key.keyId)).toEqual([['key', key.keyId, 'Stark Industries']]);
    for (const id of [requestId, traceId])
      expect(await search(id)).toEqual([['request', requestId, 'Stark Industries']]);
    expect(await search(newId())).toEqual([]);
  });
});

describe('an account that does not exist', () => {
  it.each([
    'GET /accounts/{account_id}',
    'GET /accounts/{account_id}/balance',
    'GET /accounts/{account_id}/keys',
  ] as const)('is not found: %s', async (route) => {
    const refused = await operator.call(route, { path: { account_id: newId() } });
    expect(refused).toMatchObject({ status: 404, error: { code: 'not_found', message: 'No such account.' } });
  });
});

describe('providers', () => {
  it('are listed with the deployments of their models and their health', async () => {
    const { data } = await operator.ok('GET /operator/providers');
    const sim = data.find(({ provider }) => provider === 'sim');
    expect(sim).toMatchObject({ protocol: 'openai-chat', simulated: true });
    expect(sim?.deployments.find(({ model }) => model === 'small')).toMatchObject({
      upstream_model: 'sim-upstream-1',
      in_rotation: true,
      paused_until: null,
      successes: 0,
      mean_duration_ms: null,
    });
  });
});

describe('models', () => {
  it('are listed with prices and the line of the catalogue that defines them', async () => {
    const accountId = await running.createAccount();
    const { api } = await running.signedIn('billing', accountId);
    const { data } = await api.ok('GET /accounts/{account_id}/models', { path: { account_id: accountId } });
    const tiered = data.find(({ model }) => model === 'tiered');
    expect(tiered).toMatchObject({
      enabled: true,
      available: true,
      simulated: true,
      input_modalities: ['text', 'image'],
      price: {
        effective_from: null,
        rates: { input: '2', cache_read: '0.2', output: '12', image: '1300' },
        tiers: [{ above_input_tokens: 1_000, rates: { input: '4', output: '18' } }],
      },
      next_prices: [],
    });
    expect(tiered?.catalogue).toMatchObject({
      file: expect.stringMatching(/catalogue\.json$/),
      line: expect.any(Number),
    });
  });
});

describe('catalogue', () => {
  it('in use is named with its models', async () => {
    const catalogue = await operator.ok('GET /operator/catalogue');
    expect(catalogue).toMatchObject({ file: expect.stringMatching(/catalogue\.json$/), errors: [] });
    expect(catalogue.models.map(({ model }) => model)).toContain('small');
  });

  it('is compared with another one, and errors name the line', async () => {
    const compared = await operator.ok('POST /operator/catalogue/compare', {
      body: { content: 'version: 1\nmodels: 5\n' },
    });
    expect(compared.errors.length).toBeGreaterThan(0);
    expect(compared.changes).toEqual([]);
  });
});

describe('ledger', () => {
  it('reports totals, and the ingresses that it knows', async () => {
    const accountId = await running.createAccount();
    await running.fund(accountId, 100n);
    await running.charge(accountId, { costNanos: 10n });
    const status = await operator.ok('GET /operator/ledger');
    expect(Number(status.revenue)).toBeGreaterThan(0);
    expect(status.ingresses.map(({ ingress }) => ingress)).toContain('test-ingress');
    expect(status).toMatchObject({ findings: [], findings_total: 0 });
  });

  it('keeps what it cannot post, to be posted again', async () => {
    const { account_id, request_id } = await running.quarantine();
    const { data } = await operator.ok('GET /operator/quarantine');
    const kept = data.find((charge) => charge.request_id === request_id);
    expect(kept).toMatchObject({ account_id, times_seen: 1, cost: '0.00000001' });
    await running.fund(account_id, 1_000n);
    const body = { account_id, request_id, content_hash: kept?.content_hash ?? '' };
    expect(await operator.ok('POST /operator/quarantine/repost', { body })).toEqual({
      outcome: 'posted',
      reason: '',
      charged: '0.00000001',
    });
    expect(await operator.ok('POST /operator/quarantine/repost', { body })).toMatchObject({ outcome: 'duplicate' });
  });
});

describe('operators', () => {
  it('are listed and removed', async () => {
    const other = await running.signedIn('operator');
    const { data } = await operator.ok('GET /operator/operators');
    expect(data.map(({ email }) => email)).toContain(other.email);
    await operator.ok('DELETE /operator/operators/{person_id}', { path: { person_id: other.personId } });
    const left = (await operator.ok('GET /operator/operators')).data;
    expect(left.map(({ email }) => email)).not.toContain(other.email);
  });
});
