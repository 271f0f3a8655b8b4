import { newId } from '@tollgate/common/ids';
import { ChargeStatus } from '@tollgate/proto/ledger';
import type { RunningConsole } from './running-console.ts';

const DOLLAR = 1_000_000_000n;

/** Gives an account one of everything that lists show. Returns the value of one of its keys. */
export async function furnishAccount(running: RunningConsole, accountId: string): Promise<{ lastFour: string }> {
  const path = { account_id: accountId };
  const operator = (await running.signedIn('operator')).api;
  const price_rules = [{ model: 'claude-*', markup_percent: '20' }];
  await operator.ok('PATCH /accounts/{account_id}', { path, body: { price_rules } });
  const { api } = await running.signedIn('owner', accountId);
  const attributes = {
    caps: { day: '5', week: null, month: '10', total: null },
    limits: { requests_per_minute: 60, tokens_per_minute: null, open_requests: 4 },
    tags: { team: 'search' },
    allowed_models: ['small'],
  };
  const { key } = await api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'ci small', ...attributes } });
  await api.ok('PUT /accounts/{account_id}/alerts', { path, body: { thresholds: ['8', '2'] } });
  await running.fund(accountId, 10n * DOLLAR);
  const used = { keyId: key.key_id, keyName: key.name, tags: attributes.tags, model: 'small' };
  await running.charge(accountId, { ...used, costNanos: 3n * DOLLAR });
  await running.charge(accountId, { ...used, costNanos: 7n, status: ChargeStatus.FAILED, clientSessionId: newId() });
  await running.issueStatement(accountId);
  await running.refuse(accountId, { keyId: key.key_id });
  await running.signedIn('developer', accountId);
  const invitation = { email: `${newId()}@example.com`, role: 'developer' as const };
  await api.ok('POST /accounts/{account_id}/invitations', { path, body: invitation });
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const body = { name: 'deploy', role: 'developer' as const, expires_at };
  await api.ok('POST /accounts/{account_id}/management-keys', { path, body });
  return { lastFour: key.last_four };
}
