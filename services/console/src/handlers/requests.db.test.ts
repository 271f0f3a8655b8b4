import { dashTraceId, newId } from '@tollgate/common/ids';
import { type Charge, ChargeStatus, type Refusal } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../testing/api-client.ts';
import { RunningConsole } from '../../testing/running-console.ts';
import type { Api } from '../api/index.ts';

type Query = NonNullable<Parameters<typeof listed>[0]>;

let running: RunningConsole;
let accountId: string;
let owner: ApiClient;
/** Newest first. */
let all: string[];
let charges: Charge[];
let refusals: Refusal[];

const KEYS = [newId(), newId()] as const;
const AGENTS = { clientSessionId: 'session-1', agentId: 'main', parentAgentId: 'root' };

beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  owner = (await running.signedIn('owner', accountId)).api;
  await running.fund(accountId, 1_000_000n);
  charges = [];
  refusals = [];
  for (let round = 0; round < 5; round++) {
    const tags: Record<string, string> = round === 0 ? { 'team:x': 'a=b' } : {};
    const fields = {
      keyId: round % 2 === 0 ? KEYS[0] : KEYS[1],
      model: round < 2 ? 'small' : 'large',
      tags,
      costNanos: 100n,
    };
    const status = round === 3 ? ChargeStatus.FAILED : ChargeStatus.COMPLETED;
    const agents = round === 4 ? AGENTS : {};
    charges.push(
      ...(await running.charge(accountId, { ...fields, ...agents, status, keyName: '=cmd()', holdNanos: 150n })),
    );
    const session = round === 1 ? { clientSessionId: 'session-1' } : {};
    refusals.push(...(await running.refuse(accountId, { keyId: KEYS[0], ...session })));
  }
  all = [...charges, ...refusals]
    .map(({ requestId }) => requestId)
    .sort()
    .reverse();
});
afterAll(() => running.stop());

const range = () => ({
  start: new Date(Date.now() - 3_600_000).toISOString(),
  end: new Date(Date.now() + 3_600_000).toISOString(),
});

/** The ids of all requests that a query lists, page by page. */
async function listed(query: {
  limit?: number;
  model?: string;
  key_id?: string;
  status?: 'completed' | 'cancelled' | 'failed' | 'refused';
  tag?: string;
  session?: string;
}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Api['GET /accounts/{account_id}/requests']['response'] = await owner.ok(
      'GET /accounts/{account_id}/requests',
      {
        path: { account_id: accountId },
        query: { ...range(), ...query, ...(cursor === null ? {} : { cursor }) },
      },
    );
    ids.push(...page.data.map(({ request_id }) => request_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

const get = (id: string) =>
  owner.call('GET /accounts/{account_id}/requests/{id}', { path: { account_id: accountId, id } });

describe('list of requests', () => {
  it.each([1, 3, 4, 200])('has charged and refused ones in one order, %i a page', async (limit) => {
    expect(await listed({ limit })).toEqual(all);
  });

  it('shows rows of both kinds', async () => {
    const { data } = await owner.ok('GET /accounts/{account_id}/requests', {
      path: { account_id: accountId },
      query: range(),
    });
    expect(data.find(({ request_id }) => request_id === charges[4]?.requestId)).toMatchObject({
      status: 'completed',
      cost: '0.0000001',
      tokens: 100,
      session: 'session-1',
      reason: null,
    });
    expect(data.find(({ request_id }) => request_id === refusals[0]?.requestId)).toMatchObject({
      status: 'refused',
      cost: '0',
      duration_ms: null,
      reason: 'insufficient_balance',
      reason_label: 'Balance too low',
    });
  });

  const matching = (keep: (item: Charge | Refusal) => boolean) =>
    all.filter((id) => [...charges, ...refusals].some((item) => item.requestId === id && keep(item)));
  const isCharge = (item: Charge | Refusal): item is Charge => 'status' in item;

  it.each<[string, Query, (item: Charge | Refusal) => boolean]>([
    ['a model', { model: 'large' }, (item) => item.model === 'large'],
    ['a key', { key_id: KEYS[0] }, (item) => item.keyId === KEYS[0]],
    ['failed ones', { status: 'failed' }, (item) => isCharge(item) && item.status === ChargeStatus.FAILED],
    ['refused ones', { status: 'refused' }, (item) => !isCharge(item)],
    ['a tag', { tag: 'team:x=a=b' }, (item) => isCharge(item) && item.tags['team:x'] === 'a=b'],
    ['a session', { session: 'session-1' }, (item) => item.clientSessionId === 'session-1'],
    ['two filters', { model: 'small', status: 'refused' }, (item) => !isCharge(item)],
  ])('selects %s', async (_, query, keep) => {
    const expected = matching(keep);
    expect(expected).not.toEqual([]);
    expect(await listed({ ...query, limit: 2 })).toEqual(expected);
  });

  it.each([
    [{ end: '2001-01-01T00:00:00Z' }, 'end'],
    [{ start: '2001-01-01T00:00:00Z' }, 'start'],
    [{ start: 'yesterday' }, 'start'],
    [{ cursor: 'x' }, 'cursor'],
    [{ tag: 'team' }, 'tag'],
    [{ limit: 0 }, 'limit'],
    [{ colour: 'red' }, 'colour'],
  ])('refuses %j, naming the field', async (query, field) => {
    const path = { account_id: accountId };
    const refused = await owner.call('GET /accounts/{account_id}/requests', { path, query: { ...range(), ...query } });
    expect(refused).toMatchObject({ status: 400, error: { code: 'invalid_request', field } });
  });
});

describe('request', () => {
  it('is found as a bill by its request id and by its trace id', async () => {
    const [charge] = charges;
    const traceId = charge?.traceId ?? '';
    const bill = {
      request_id: charge?.requestId,
      hold: '0.00000015',
      cost: '0.0000001',
      released: '0.00000005',
      refusal: null,
    };
    for (const id of [charge?.requestId ?? '', traceId, dashTraceId(traceId)]) {
      expect(await get(id)).toMatchObject({ status: 200, body: bill });
    }
  });

  it('that was refused with a deleted key has the name of the key, for roles that see keys', async () => {
    const account = await running.createAccount('Deleted key');
    const { api } = await running.signedIn('owner', account);
    const billing = (await running.signedIn('billing', account)).api;
    const { key } = await running.auth.createKey(account, { name: 'gone' });
    await api.ok('DELETE /accounts/{account_id}/keys/{key_id}', { path: { account_id: account, key_id: key.keyId } });
    const [refusal] = await running.refuse(account, { keyId: key.keyId, keyName: '', reason: 'key_deleted' });
    const list = { path: { account_id: account }, query: range() };
    const one = { path: { account_id: account, id: refusal?.requestId ?? '' } };
    expect((await api.ok('GET /accounts/{account_id}/requests', list)).data).toMatchObject([{ key_name: 'gone' }]);
    expect(await api.ok('GET /accounts/{account_id}/requests/{id}', one)).toMatchObject({ key_name: 'gone' });
    expect((await billing.ok('GET /accounts/{account_id}/requests', list)).data).toMatchObject([{ key_name: '' }]);
  });

  it('that was refused is found with the reason and what to do', async () => {
    const [refusal] = refusals;
    for (const id of [refusal?.requestId ?? '', refusal?.traceId ?? '']) {
      expect(await get(id)).toMatchObject({
        status: 200,
        body: {
          status: 'refused',
          refusal: { message: 'The balance is too low.', action: expect.stringMatching(/^Top up/) },
        },
      });
    }
  });

  it('that a cap refused names the cap, to developers without the name of a member', async () => {
    const account = await running.createAccount('Capped above');
    const { api } = await running.signedIn('owner', account);
    const developer = (await running.signedIn('developer', account)).api;
    const path = { account_id: account };
    const { key } = await developer.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'theirs' } });
    const project = { scope: 'project', id: account, name: 'backend', window: 'month', projectId: account };
    const member = { ...project, scope: 'member', id: newId(), name: 'dev@example.com', window: 'day' };
    const cap = { keyId: key.key_id, reason: 'cap_exceeded' };
    const [above] = await running.refuse(account, { ...cap, limit: project });
    const [below] = await running.refuse(account, { ...cap, limit: member, reason: 'cap_held_by_open_requests' });
    const seen = async (as: ApiClient, id = '') =>
      (await as.ok('GET /accounts/{account_id}/requests/{id}', { path: { ...path, id } })).refusal;
    const monthly = { scope: 'project', id: account, name: 'backend', window: 'month', project_id: account };
    for (const as of [api, developer]) {
      expect(await seen(as, above?.requestId)).toMatchObject({
        limit: monthly,
        sentence: expect.stringMatching(/^The monthly cap of project backend refused it: too little is left/),
      });
    }
    expect(await seen(api, below?.requestId)).toMatchObject({
      limit: { scope: 'member', name: 'dev@example.com', window: 'day' },
      sentence: 'The daily cap of member dev@example.com refused it: open requests held the rest of it.',
    });
    expect(await seen(developer, below?.requestId)).toMatchObject({
      limit: { scope: 'member', name: null },
      sentence: 'The daily cap of its member refused it: open requests held the rest of it.',
    });
    const [none] = refusals;
    expect(await get(none?.requestId ?? '')).toMatchObject({ body: { refusal: { limit: null } } });
  });

  it('that is being charged is waited for', async () => {
    const requestId = newId();
    const found = get(requestId);
    await running.charge(accountId, { requestId, costNanos: 1n });
    expect(await found).toMatchObject({ status: 200, body: { request_id: requestId } });
  });

  it('of another account, or of none, is not found', async () => {
    const other = await running.createAccount('Other');
    await running.fund(other, 10n);
    const [theirs] = await running.charge(other, { costNanos: 10n });
    for (const id of [theirs?.requestId ?? '', theirs?.traceId ?? '', newId()]) {
      expect(await get(id)).toMatchObject({ status: 404, error: { code: 'not_found' } });
    }
    expect(await get('x')).toMatchObject({ status: 400, error: { field: 'id' } });
  });
});

describe('a request that failed', () => {
  const attempt = { deployment: 'large@b', startedMs: 3, durationMs: 900, cause: 'timeout', providerStatus: 0 };
  let account: string;
  let api: ApiClient;

  beforeAll(async () => {
    account = await running.createAccount('Failed');
    api = (await running.signedIn('owner', account)).api;
    await running.fund(account, 10n);
    await running.charge(account, {
      costNanos: 0n,
      status: ChargeStatus.FAILED,
      httpStatus: 504,
      errorType: 'internal_error',
      attempts: [{ ...attempt, deployment: 'large@a', cause: 'server_error', providerStatus: 503 }, attempt],
    });
  });

  it('says why, in lists too, with each attempt and what to do', async () => {
    const path = { account_id: account };
    const { data } = await api.ok('GET /accounts/{account_id}/requests', { path, query: range() });
    expect(data).toMatchObject([{ status: 'failed', reason: 'timeout', reason_label: 'Timeout' }]);
    const one = { path: { ...path, id: data[0]?.request_id ?? '' } };
    expect(await api.ok('GET /accounts/{account_id}/requests/{id}', one)).toMatchObject({
      failure: { http_status: 504, error_type: 'internal_error', action: expect.stringMatching(/^Retry\./) },
      attempts: [
        { deployment: 'large@a', outcome: 'server_error', provider_status: 503 },
        { deployment: 'large@b', started_ms: 3, duration_ms: 900, outcome: 'timeout', provider_status: null },
      ],
    });
  });

  it('says so in an export', async () => {
    const path = { account_id: account };
    const query = { ...range(), format: 'csv' } as const;
    const text = await (await api.fetch('GET /accounts/{account_id}/requests/export', { path, query })).text();
    const [header = '', record = ''] = text.trimEnd().split('\r\n');
    expect(header).toMatch(/,tags,http_status,error_type,provider_status,sentence,action,attempts$/);
    expect(record).toMatch(/,failed,timeout,/);
    expect(record).toContain(',504,internal_error,,The provider did not respond in time.,"Retry. ');
    expect(record).toContain(
      '""deployment"":""large@a"",""started_ms"":3,""duration_ms"":900,""outcome"":""server_error""',
    );
  });
});

describe('export of requests', () => {
  const exported = async (query: object) => {
    const path = { account_id: accountId };
    const response = await owner.fetch('GET /accounts/{account_id}/requests/export', {
      path,
      query: { ...range(), format: 'csv', ...query },
    });
    expect(response.status).toBe(200);
    return response.text();
  };

  it('as CSV has a record for each, and no name that a spreadsheet would run', async () => {
    const [header, ...records] = (await exported({})).trimEnd().split('\r\n');
    const columns = header?.split(',') ?? [];
    const cells = records.map((record) => Object.fromEntries(record.split(',').map((cell, at) => [columns[at], cell])));
    expect(new Set(cells.map((record) => record['request_id']))).toEqual(new Set(await listed({})));
    const charged = cells.find((record) => record['request_id'] === charges[4]?.requestId);
    expect(charged).toMatchObject({ key_name: "'=cmd()", cost: '0.0000001', output_quantity: '100', agent_id: 'main' });
  });

  it('as JSON has the bill of each in one line', async () => {
    const lines = (await exported({ format: 'json', status: 'refused' })).trimEnd().split('\n');
    const bills = lines.map((line) => JSON.parse(line));
    expect(bills.map(({ request_id }) => request_id)).toEqual(await listed({ status: 'refused' }));
    expect(bills[0]).toMatchObject({ refusal: { http_status: 400 } });
  });
});

it('a developer sees the requests of the keys they made, and no others', async () => {
  const { api } = await running.signedIn('developer', accountId);
  const path = { account_id: accountId };
  expect((await api.ok('GET /accounts/{account_id}/requests', { path, query: range() })).data).toEqual([]);
  const { key } = await api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'theirs' } });
  const [own] = await running.charge(accountId, { keyId: key.key_id, costNanos: 5n });
  const { data } = await api.ok('GET /accounts/{account_id}/requests', { path, query: range() });
  expect(data.map(({ request_id }) => request_id)).toEqual([own?.requestId]);
  const [others] = charges;
  const foreign = { ...path, id: others?.requestId ?? '' };
  expect(await api.call('GET /accounts/{account_id}/requests/{id}', { path: foreign })).toMatchObject({
    status: 404,
  });
});

describe('what the provider charges, and the list price beside one of the account’s own', () => {
  /** Below what an amount may be at most. */
  const upstream = '123456.123456789';
  const ownLine = {
    ...{ bucket: 'output', quantity: 50n, rateNanosPerMillion: 1_000_000n, amountNanos: 50n },
    listRateNanosPerMillion: 750_001n,
  };
  const own = { base_cost: '0.000000038', margin: '0.000000012' };
  let account: string;
  let requestId: string;

  beforeAll(async () => {
    account = await running.createAccount('Upstream');
    await running.fund(account, 100n);
    const [reported] = await running.charge(
      account,
      { costNanos: 50n, upstreamCostNanos: 123_456_123_456_789n, lines: [ownLine], baseCostNanos: 38n },
      { costNanos: 50n },
    );
    requestId = reported?.requestId ?? '';
  });

  /** Everything that shows requests, as text. */
  async function shownTo(api: ApiClient) {
    const path = { account_id: account };
    const exported = async (format: 'csv' | 'json') =>
      (await api.fetch('GET /accounts/{account_id}/requests/export', { path, query: { ...range(), format } })).text();
    return {
      one: JSON.stringify(
        (await api.call('GET /accounts/{account_id}/requests/{id}', { path: { ...path, id: requestId } })).body,
      ),
      list: JSON.stringify(await api.ok('GET /accounts/{account_id}/requests', { path, query: range() })),
      csv: await exported('csv'),
      json: await exported('json'),
    };
  }

  it.each(['a person', 'a program'] as const)('is on the bill and in exports for operators: %s', async (kind) => {
    const api =
      kind === 'a person' ? (await running.signedIn('operator')).api : await running.program('operator', account);
    const { one, csv, json } = await shownTo(api);
    const lines = [{ rate_per_million: '0.001', list_rate_per_million: '0.000750001' }];
    expect(JSON.parse(one)).toMatchObject({ upstream_cost: upstream, ...own, lines });
    const [header = '', ...records] = csv.trimEnd().split('\r\n');
    expect(header).toMatch(/,upstream_cost,base_cost,margin$/);
    // Newest first; the second one has no report, which is not the same as a cost of 0.
    expect(records.map((record) => record.split(',').slice(-3))).toEqual(
      expect.arrayContaining([
        ['', '', ''],
        [upstream, own.base_cost, own.margin],
      ]),
    );
    const bills = json
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(bills.find((bill) => bill.request_id === requestId)).toHaveProperty('upstream_cost', upstream);
  });

  it.each(['owner', 'admin', 'developer', 'billing'] as const)('is nowhere for the role %s', async (role) => {
    const { api } = await running.signedIn(role, account);
    for (const client of [api, await running.program(role, account)]) {
      const shown = Object.values(await shownTo(client)).join('\n');
      expect(shown).toContain('request_id');
      expect(shown).not.toMatch(/upstream|base_cost|margin|list_rate|0\.000750001/);
      expect(shown).not.toContain(upstream);
    }
  });

  it('is nowhere for an operator who views the account as its members do', async () => {
    const { api } = await running.signedIn('operator');
    await api.ok('PUT /session/view-as', { body: { account_id: account } });
    const { one, ...rest } = await shownTo(api);
    expect(JSON.parse(one)).toMatchObject({ request_id: requestId });
    expect([one, ...Object.values(rest)].join('\n')).not.toMatch(/upstream|base_cost|margin|list_rate/);
  });
});
