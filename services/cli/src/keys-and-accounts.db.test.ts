import { type AuthFixture, startAuth } from '@tollgate/auth/testing/auth-fixture';
import type { AuthUnderTest } from '@tollgate/auth/testing/auth-under-test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, runCli } from '../testing/run-cli.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth } = fixture);
});
afterAll(() => fixture?.stop());

function called(...args: string[]): Promise<CliResult> {
  return runCli([...args, '--auth-address', auth.address]);
}

/** What a command prints for programs. */
async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { status, stdout, stderr } = await called(...args, '--json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('keys', () => {
  it('are created with limits and tags, changed by what is named, and listed', async () => {
    const { accountId } = await auth.createAccount();
    const made = await json(
      ...['keys', 'create', accountId, '--name', 'ci', '--requests-per-minute', '60', '--open-requests', '4'],
      ...['--tag', 'team=search', '--tag', 'cost-center=a=b'],
    );
    const keyId = String(made['key_id']);
    const first = {
      name: 'ci',
      limits: { requests_per_minute: 60, tokens_per_minute: null, open_requests: 4 },
      tags: { team: 'search', 'cost-center': 'a=b' },
      last_used_at: null,
      previous_value_until: null,
    };
    expect(made).toMatchObject(first);
    expect(await json('keys', 'update', keyId, '--name', 'deploy')).toMatchObject({ ...first, name: 'deploy' });
    const second = {
      limits: { requests_per_minute: null, tokens_per_minute: 1_000_000_000, open_requests: null },
      tags: {},
      allowed_models: ['m1', 'm2'],
      expires_at: '2099-01-01T00:00:00.000Z',
      caps: { day: '5', month: null, total: null, currency: 'USD' },
    };
    const changed = await json(
      ...['keys', 'update', keyId, '--tokens-per-minute', '1000000000', '--without-tags', '--model', 'm1'],
      ...['--model', 'm2', '--expires', '2099-01-01', '--cap-day', '5'],
    );
    expect(changed).toMatchObject(second);
    expect((await json('keys', 'list', accountId))['keys']).toMatchObject([{ ...second, name: 'deploy' }]);
    const removed = await json(
      ...['keys', 'update', keyId, '--without-limits', '--without-caps', '--all-models', '--never-expires'],
    );
    expect(removed).toMatchObject({ limits: null, caps: null, allowed_models: [], expires_at: null });
  });

  it('are shown to people with all of it', async () => {
    const { accountId } = await auth.createAccount();
    await json('keys', 'create', accountId, '--tokens-per-minute', '5', '--tag', 'team=search');
    const { stdout } = await called('keys', 'list', accountId);
    const [head = '', row = ''] = stdout.split('\n').map((line) => line.split(/ {2,}/).join('|'));
    expect(head).toBe('ID|NAME|KEY|STATUS|CREATED|EXPIRES|MODELS|CAPS|LIMITS|TAGS|LAST USED|PREVIOUS VALUE UNTIL');
    expect(row).toMatch(/\|active\|.*\|never\|all\|none\|5 tokens a minute\|team=search\|never\|-$/);
  });

  it('are rotated with an overlap, and again with the same idempotency key', async () => {
    const { accountId } = await auth.createAccount();
    const { key } = await auth.createKey(accountId);
    const args = ['keys', 'rotate', key.keyId, '--overlap', '12h', '--idempotency-key', 'once'];
    const rotated = await json(...args);
    const again = await json(...args);
    expect(again['secret']).not.toBe(rotated['secret']);
    expect(again['previous_value_until']).toBe(rotated['previous_value_until']);
    const leftMs = Date.parse(String(again['previous_value_until'])) - Date.now();
    expect(leftMs).toBeGreaterThan(11.9 * 3_600_000);
    expect(leftMs).toBeLessThanOrEqual(12 * 3_600_000);
    expect((await json('keys', 'rotate', key.keyId))['previous_value_until']).toBeNull();
  });

  it.each([
    [['update', '--model', 'm', '--all-models'], '--all-models cannot be combined'],
    [['update'], 'no field to change is set'],
    [['update', '--requests-per-minute', '0'], 'from 1 to 1000000000'],
    [['update', '--open-requests', '1000001'], 'from 1 to 1000000'],
    [['update', '--tag', 'team'], 'team=search'],
    [['update', '--tag', '__proto__=x'], 'team=search'],
    [['update', '--tag', 'a=1', '--tag', 'a=2'], 'given twice'],
    [['rotate', '--overlap', '1y'], '30m'],
    [['rotate', '--overlap', '31d'], 'overlap_ms'],
  ])('%j is refused with the reason', async ([command = '', ...options], word) => {
    const { key } = await auth.createKey((await auth.createAccount()).accountId);
    const { status, stderr } = await called('keys', command, key.keyId, ...options);
    expect(status).not.toBe(0);
    expect(stderr).toContain(word);
  });
});

describe('accounts', () => {
  it('are limited and renamed', async () => {
    const { accountId } = await auth.createAccount('Old');
    const limits = { requests_per_minute: 600, tokens_per_minute: null, open_requests: 50 };
    const options = ['--name', 'New', '--requests-per-minute', '600', '--open-requests', '50'];
    expect(await json('accounts', 'update', accountId, ...options)).toMatchObject({ name: 'New', limits });
    expect(await json('accounts', 'update', accountId, '--name', 'Newer')).toMatchObject({ name: 'Newer', limits });
    expect(await json('accounts', 'update', accountId, '--without-limits')).toMatchObject({ limits: null });
  });

  it('are suspended with a reason that is shown, and resumed', async () => {
    const account = await auth.createAccount();
    expect(await json('accounts', 'suspend', account.accountId, '--reason', 'unpaid since May')).toMatchObject({
      status: 'suspended',
      suspension_reason: 'unpaid since May',
    });
    expect((await called('accounts', 'get', account.accountId)).stdout).toContain('suspended: unpaid since May');
    expect(await json('accounts', 'resume', account.accountId)).toMatchObject({
      status: 'active',
      suspension_reason: null,
    });
    expect((await called('accounts', 'suspend', account.accountId)).status).toBe(2);
  });
});
