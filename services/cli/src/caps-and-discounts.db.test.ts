import { type AuthFixture, startAuth } from '@tollgate/auth/testing/auth-fixture';
import type { AuthUnderTest } from '@tollgate/auth/testing/auth-under-test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../testing/run-cli.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth } = fixture);
});
afterAll(() => fixture?.stop());

/** What a command prints. */
async function tollgate(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCli([...args, '--auth-address', auth.address]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

/** The lines of a command for people, by their first word. */
function fields(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.split(/ {2,}/));
  return Object.fromEntries(lines.map(([name = '', value = '']) => [name.trim(), value.trim()]));
}

describe('spending caps', () => {
  it('are set with a new key, replaced as a set, removed, and shown each time', async () => {
    const { accountId } = await auth.createAccount();
    const made = fields(await tollgate('keys', 'create', accountId, '--cap-day', '5', '--cap-total', '0.5'));
    expect(made).toMatchObject({ caps: '5 USD a day, 0.5 USD in total' });
    const keyId = made['id'] ?? '';
    const changed = await tollgate('keys', 'set-caps', keyId, '--cap-month', '12.50', '--json');
    const caps = { day: null, month: '12.5', total: null, currency: 'USD' };
    expect(JSON.parse(changed)).toMatchObject({ key_id: keyId, caps });
    expect(JSON.parse(await tollgate('keys', 'list', accountId, '--json')).keys).toMatchObject([{ caps }]);
    expect(await tollgate('keys', 'list', accountId)).toContain('12.5 USD a month');
    expect(fields(await tollgate('keys', 'set-caps', keyId, '--none'))).toMatchObject({ caps: 'none' });
    expect(JSON.parse(await tollgate('keys', 'list', accountId, '--json')).keys).toMatchObject([{ caps: null }]);
  });
});

describe('a discount', () => {
  it('is set and shown exactly', async () => {
    const { accountId } = await auth.createAccount();
    expect(fields(await tollgate('accounts', 'get', accountId))).toMatchObject({ discount: '0 %' });
    expect(fields(await tollgate('accounts', 'set-discount', accountId, '12.0625'))).toMatchObject({
      discount: '12.0625 %',
    });
    expect(JSON.parse(await tollgate('accounts', 'get', accountId, '--json'))).toMatchObject({
      discount_percent: '12.0625',
    });
    expect(await tollgate('accounts', 'list')).toContain('12.0625 %');
  });
});
