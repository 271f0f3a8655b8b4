import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@tollgate/common/ids';
import { RunningConsole } from '@tollgate/console/testing/running-console';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../testing/run-cli.ts';

let running: RunningConsole;
let accountId: string;
let env: Record<string, string>;

beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  const { managementKey } = await running.program('operator');
  env = { TOLLGATE_URL: running.url, TOLLGATE_MANAGEMENT_KEY: managementKey };
});
afterAll(() => running.stop());

function tollgate(...args: string[]) {
  return runCli(args, { env });
}

async function json(...args: string[]) {
  const { status, stdout, stderr } = await tollgate('--json', ...args);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('keys', () => {
  it('are created with attributes, changed by what is named, listed, rotated and deleted', async () => {
    const { key, secret } = await json(
      ...['keys', 'create', accountId, '--name', 'ci', '--requests-per-minute', '60', '--tag', 'team=search'],
      ...['--tag', 'cost-center=a=b', '--cap-day', '5'],
    );
    expect(secret).toMatch(/^sk-/);
    const first = { limits: { requests_per_minute: 60, tokens_per_minute: null, open_requests: null } };
    const tags = { team: 'search', 'cost-center': 'a=b' };
    expect(key).toMatchObject({ name: 'ci', ...first, tags, caps: { day: '5', month: null, total: null } });
    const id = [accountId, key.key_id];
    expect(await json('keys', 'update', ...id, '--name', 'deploy')).toMatchObject({ name: 'deploy', ...first, tags });
    const second = await json(
      ...['keys', 'update', ...id, '--open-requests', '4', '--without-tags', '--without-caps', '--model', 'm1'],
      ...['--model', 'm2', '--expires', '2099-01-01'],
    );
    expect(second).toMatchObject({
      limits: { requests_per_minute: null, tokens_per_minute: null, open_requests: 4 },
      caps: { day: null, month: null, total: null },
      tags: {},
      allowed_models: ['m1', 'm2'],
      expires_at: '2099-01-01T00:00:00.000Z',
    });
    expect(await json('keys', 'set-caps', ...id, '--cap-total', '7')).toMatchObject({ caps: { total: '7' } });
    const third = await json('keys', 'update', ...id, '--without-models', '--without-expires', '--without-limits');
    expect(third).toMatchObject({ allowed_models: [], expires_at: null, limits: { open_requests: null } });
    const rotated = await tollgate('keys', 'rotate', ...id, '--overlap', '12h');
    expect(rotated.stderr).toMatch(/^idempotency key: \S+\n$/);
    expect(rotated.stdout).toMatch(/\nsk-\S+\n\nSave it now: it is not stored and cannot be shown again\.\n$/);
    expect((await tollgate('keys', 'list', accountId)).stdout).toMatch(
      /^KEY .* deploy .* active .* all .* total \(limit 7, set by own\) /s,
    );
    expect(await json('keys', 'delete', ...id)).toMatchObject({ key: { status: 'deleted' } });
    expect((await tollgate('keys', 'list', accountId)).stdout).toBe('There are none.\n');
    expect((await tollgate('keys', 'get', ...id)).stdout).toMatch(/^status +deleted$/m);
  });

  it('are refused with the message of the API', async () => {
    expect(await tollgate('keys', 'delete', accountId, newId())).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'error: No such key.\n',
    });
  });
});

describe('accounts and money', () => {
  it('are created, changed, suspended, credited and debited', async () => {
    const { account_id: id } = await json('accounts', 'create', 'Research team', '--idempotency-key', 'one');
    expect(await json('accounts', 'create', 'Research team', '--idempotency-key', 'one')).toMatchObject({
      account_id: id,
    });
    expect(await json('accounts', 'set-discount', id, '12.5')).toMatchObject({ discount_percent: '12.5' });
    expect((await tollgate('accounts', 'prices', id)).stdout).toBe('It pays list prices.\n');
    const rules = [
      { model: 'claude-*', markup_percent: '20' },
      { model: 'a=b', markup_percent: '-12.5' },
    ];
    expect(await json('accounts', 'prices', id, 'claude-*=+20%', 'a=b=-12.5')).toEqual({ price_rules: rules });
    expect(await json('accounts', 'prices', id)).toEqual({ price_rules: rules });
    expect(await tollgate('accounts', 'prices', id, '*=1000.0001')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('price_rules[0].markup_percent: must be -100 to 1000'),
    });
    expect(await json('accounts', 'prices', id, '--none')).toEqual({ price_rules: [] });
    expect(await json('accounts', 'update', id, '--tokens-per-minute', '9')).toMatchObject({
      limits: { tokens_per_minute: 9 },
    });
    expect(await json('accounts', 'suspend', id, '--reason', 'unpaid')).toMatchObject({ suspension_reason: 'unpaid' });
    expect(await json('accounts', 'resume', id)).toMatchObject({ status: 'active' });
    expect((await tollgate('accounts', 'list')).stdout).toContain('Research team');
    const create = (...args: string[]) => tollgate('deposits', 'create', id, ...args);
    expect(await create('--amount', '10')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/balance available +10\n/),
    });
    const ends = new Date().getUTCFullYear() + 2;
    await json(
      'deposits',
      'create',
      id,
      '--amount',
      '4',
      '--kind',
      'adjustment',
      '--ends',
      `${ends}-01-01`,
      '--priority',
      '9',
    );
    expect(await json('balance', id)).toMatchObject({
      lots: [
        { kind: 'granted', remaining: '4', ends_at: `${ends}-01-01T00:00:00.000Z`, priority: 9 },
        { kind: 'paid', remaining: '10', ends_at: null },
      ],
    });
    expect(await create('--amount', '-4', '--kind', 'adjustment')).toMatchObject({ status: 0 });
    const refused = await create('--amount', '-14', '--kind', 'adjustment', '--refuse-shortfall');
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('10 USD available') });
    expect(await create('--amount', '-14', '--kind', 'dispute')).toMatchObject({ status: 0 });
    expect((await tollgate('balance', id)).stdout).toMatch(/^owed +4\nsuspended +yes$/m);
    expect((await json('deposits', 'list', id)).data).toMatchObject([
      { kind: 'dispute' },
      { amount: '-4' },
      { amount: '4' },
      { amount: '10' },
    ]);
    const events = (await tollgate('events', 'list', id)).stdout;
    expect(events).toMatch(/ account\.suspended .* pending /);
    const start = ['--start', '2026-01-01'];
    expect((await json('audit', '--account', id, ...start, '--action', 'deposit.create')).data).toHaveLength(4);
    expect((await tollgate('audit', '--action', 'account.create')).stdout).toMatch(
      / operator program +operator +api +account\.create /,
    );
  });

  it('have thresholds', async () => {
    const thresholds = async (...args: string[]) =>
      (await tollgate('balance', 'thresholds', accountId, ...args)).stdout;
    expect(await thresholds()).toBe("There are none (the ledger's default).\n");
    expect(await thresholds('1', '5.50', '0')).toBe("5.5 USD, 1 USD, 0 USD (the account's own)\n".replace(')', ').'));
    expect(await thresholds('--none')).toBe("There are none (the account's own).\n");
    expect(await thresholds('--default')).toBe("There are none (the ledger's default).\n");
    expect(await tollgate('balance', 'thresholds', accountId, '1', '--none')).toMatchObject({ status: 2 });
  });

  it('have requests with their bills', async () => {
    await running.fund(accountId, 100n);
    const [charge] = await running.charge(accountId, { costNanos: 10n, model: 'small' });
    const id = charge?.requestId ?? '';
    expect((await tollgate('requests', 'list', accountId)).stdout).toContain(id);
    expect((await tollgate('requests', 'get', accountId, id)).stdout).toMatch(
      /^BUCKET +QUANTITY +RATE PER MILLION +AMOUNT$/m,
    );
    const { data } = await json('requests', 'list', accountId, '--model', 'none');
    expect(data).toEqual([]);
  });
});

describe('people', () => {
  it('are invited, listed, changed and removed by their addresses; operators only by people', async () => {
    const { email } = await running.signedIn('developer', accountId);
    await running.signedIn('owner', accountId);
    expect(await json('members', 'invite', accountId, 'bo@example.com', 'developer')).toMatchObject({ mailed: false });
    expect((await tollgate('members', 'list', accountId)).stdout).toMatch(/\nINVITATIONS\n.*\n.*bo@example\.com/s);
    expect(await json('members', 'set-role', accountId, email.toUpperCase(), 'admin')).toMatchObject({ role: 'admin' });
    expect(await json('members', 'remove', accountId, email)).toMatchObject({ keys: [] });
    expect(await tollgate('members', 'remove', accountId, email)).toMatchObject({ status: 1 });
    expect(await json('operators', 'list')).toHaveProperty('data');
    expect(await tollgate('operators', 'invite', 'bo@example.com')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('only people may do this'),
    });
  });
});

describe('a person', () => {
  it('signs in with a browser, does what only people may, and signs out', async () => {
    const folder = makeTemporaryFolder();
    const person = await running.signedIn('operator');
    const place = { env: { TOLLGATE_CONFIG: join(folder.path, 'profiles.json') } };
    let asked = 0;
    const onDelay = async () => {
      asked += 1;
      const [, code = ''] = /confirm the code (\S+) /.exec(shown) ?? [];
      if (asked === 1)
        await person.api.ok('POST /device-authorizations/decide', { body: { user_code: code, approve: true } });
    };
    let shown = '';
    const onError = (text: string) => {
      shown += text;
    };
    const signedIn = await runCli(['login', '--browser', '--url', running.url], { ...place, onDelay, onError });
    expect(signedIn).toMatchObject({ status: 0 });
    expect(shown).toContain(`Open ${running.url}/device?code=`);
    const invited = await runCli(['operators', 'invite', 'bo@example.com'], place);
    expect(invited).toMatchObject({ status: 0, stdout: expect.stringContaining('/invitation#') });
    expect(await runCli(['logout'], place)).toMatchObject({ status: 0, stdout: 'The profile default is removed.\n' });
    const { data } = await person.api.ok('GET /person/sessions');
    expect(data.map(({ kind }) => kind)).toEqual(['browser']);
    folder.remove();
  });

  it('is told when somebody refuses in the browser', async () => {
    const person = await running.signedIn('operator');
    let shown = '';
    const onDelay = async () => {
      const [, code = ''] = /confirm the code (\S+) /.exec(shown) ?? [];
      await person.api.ok('POST /device-authorizations/decide', { body: { user_code: code, approve: false } });
    };
    const onError = (text: string) => {
      shown += text;
    };
    const refused = await runCli(['login', '--browser', '--url', running.url], { onDelay, onError });
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('Somebody has refused it') });
  });
});

describe('charges for tools of finance', () => {
  const month = new Date().toISOString().slice(0, 7);

  it('are written as a file, by month or by days', async () => {
    const account = await running.createAccount('Finance');
    await running.fund(account, 100n);
    await running.charge(account, { costNanos: 70n });
    const { status, stdout, stderr } = await tollgate('usage', 'focus', account, '--month', month);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^BilledCost,[^\r]*\r\n0\.00000007,[^\r]*,Finance,USD,[^\r]*\r\n$/);
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const days = ['usage', 'focus', account, '--start', today, '--end', tomorrow];
    expect((await tollgate('--json', ...days)).stdout).toMatch(/^\{"BillingAccountId":.*\}\n$/);
  });

  it('are refused with the parameter at fault', async () => {
    expect(await tollgate('usage', 'focus', accountId)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'error: start: is required without month\n',
    });
    expect(await tollgate('usage', 'focus', accountId, '--month', 'May')).toMatchObject({ status: 2 });
  });
});

it('statements are listed and downloaded, as are receipts', async () => {
  const account = await running.createAccount('Stated');
  const deposit = await running.fund(account, 5_000_000_000n);
  const month = await running.issueStatement(account);
  expect((await json('statements', 'list', account)).data).toMatchObject([{ month, deposits: '5', closing: '5' }]);
  expect(await json('statements', 'get', account, month)).toMatchObject({ month, closing: '5' });
  expect((await json('statements', 'lines', account, month)).data).toMatchObject([{ kind: 'deposit', amount: '5' }]);
  const csv = await tollgate('statements', 'download', account, month, '--format', 'csv');
  expect(csv.stdout).toMatch(new RegExp(`^at,kind,.*\\r\\n.*,deposit,${deposit},for a test,,,paid,,5\\r\\n$`));
  expect((await tollgate('--json', 'statements', 'download', account, month)).stdout).toMatch(/^%PDF-/);
  expect((await tollgate('deposits', 'receipt', account, deposit)).stdout).toMatch(/^%PDF-/);
  expect(await tollgate('statements', 'download', account, '2020-01')).toMatchObject({ status: 1, stdout: '' });
});

it('vouchers are created, redeemed once, listed and revoked', async () => {
  const [made, other] = (await json('vouchers', 'create', '5', 'Welcome', '--count', '2', '--credit-days', '30')).data;
  expect(await json('vouchers', 'redeem', accountId, made.code)).toMatchObject({ amount: '5' });
  expect(await tollgate('vouchers', 'redeem', accountId, 'nothing')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no such voucher'),
  });
  await json('vouchers', 'revoke', other.voucher_id);
  const { data } = await json('vouchers', 'list');
  const listed = new Map(data.map((voucher: { voucher_id: string }) => [voucher.voucher_id, voucher]));
  expect(listed.size).toBe(2);
  expect(listed.get(other.voucher_id)).toMatchObject({ revoked_at: expect.any(String), redeemed_at: null });
  expect(listed.get(made.voucher_id)).toMatchObject({ revoked_at: null, account_id: accountId });
  expect(await tollgate('vouchers', 'revoke', made.voucher_id)).toMatchObject({ status: 1 });
});

describe('the catalogue', () => {
  it('has models, providers and their health', async () => {
    expect((await tollgate('models')).stdout).toMatch(/^small +0\.15 +0\.075 +0\.6 /m);
    expect((await json('models', '--account', accountId)).data[0]).toHaveProperty('price');
    expect((await tollgate('models', 'health')).stdout).toMatch(/^small@sim /m);
    expect((await tollgate('providers')).stdout).toMatch(/^sim +openai-chat .* present +none$/m);
    expect((await tollgate('providers', 'test', 'sim')).stdout).toMatch(/^stream +holds +yes .* 5$/m);
    expect(await tollgate('providers', 'test', 'nobody')).toMatchObject({ status: 1 });
  });

  it('is compared with a file, and its models are shown to clients', async () => {
    const folder = makeTemporaryFolder();
    const file = join(folder.path, 'catalogue.yaml');
    writeFileSync(file, 'version: 1\nproviders: 5\n');
    expect(await tollgate('catalogue', 'diff', file)).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/catalogue\.yaml:2:\d+: /),
    });
    folder.remove();
    expect((await tollgate('clients', 'codex', '--model', 'small')).stdout).toContain('model = "small"\n');
    expect(await tollgate('clients', 'codex', '--model', 'none')).toMatchObject({ status: 1 });
    expect(await tollgate('clients', 'nobody')).toMatchObject({ status: 2 });
  });

  it('has bills of its providers, which are compared with what was metered', async () => {
    const folder = makeTemporaryFolder();
    const file = join(folder.path, 'costs.csv');
    writeFileSync(file, `usage_date_utc,model,cost_usd\n${new Date().toISOString().slice(0, 10)},Claude,0.005\n`);
    expect((await tollgate('providers', 'import-bill', 'dead', file)).stdout).toMatch(/Claude .* 0\.005 /);
    writeFileSync(file, `usage_date_utc,model,cost_usd\n${new Date().toISOString().slice(0, 10)},Claude,0.05\n`);
    expect(await tollgate('providers', 'import-bill', 'dead', file)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('1 day of models differ'),
    });
    folder.remove();
    const listed = await json('providers', 'bills', 'dead');
    expect(listed.data).toMatchObject([{ model: 'Claude', billed_cost: '0.05', metered_cost: '0', differs: true }]);
  });

  it('has charges that could not be posted', async () => {
    const { account_id: of, request_id: request } = await running.quarantine();
    expect((await tollgate('quarantine', 'list')).stdout).toContain(request);
    expect(await tollgate('quarantine', 'repost', of, request)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('it is still quarantined'),
    });
  });
});
