import { createHash } from 'node:crypto';
import type { RoleName } from '@tollgate/common/actors/roles';
import { newId } from '@tollgate/common/ids';
import type { Api, Route } from '../src/api/index.ts';
import type { RunningConsole, SignedIn } from './running-console.ts';

/** Operations that are open to roles. */
export type RoleRoute = { [R in Route]: Api[R]['access'] extends 'roles' ? R : never }[Route];

/** What a request of an operation needs. */
export interface SampleContext {
  running: RunningConsole;
  accountId: string;
  /** Who makes the request. */
  caller: SignedIn;
  role: RoleName;
}

/** A request of an operation that succeeds for a role that is allowed. */
export type Sample<R extends Route> = Partial<Pick<Api[R], 'path' | 'query' | 'body'>>;

type Samples = { [R in RoleRoute]: (context: SampleContext) => Promise<Sample<R>> };

const HOUR_MS = 3_600_000;

const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString();
const lastHour = () => ({ start: new Date(Date.now() - HOUR_MS).toISOString(), end: inAnHour() });
const ofAccount = async ({ accountId }: SampleContext) => ({ path: { account_id: accountId } });
const nothing = async () => ({});

/** A new key that the caller may use: developers use the ones they made. */
async function ownKey({ running, accountId, caller, role }: SampleContext) {
  const path = { account_id: accountId };
  if (role !== 'developer') return { ...path, key_id: (await running.auth.createKey(accountId)).key.keyId };
  const { key } = await caller.api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'own' } });
  return { ...path, key_id: key.key_id };
}

async function newMember({ running, accountId }: SampleContext) {
  const { personId } = await running.signedIn('developer', accountId);
  return { account_id: accountId, person_id: personId };
}

async function operatorOf({ running }: SampleContext) {
  return (await running.signedIn('operator')).api;
}

const DAILY = { day: '5', week: null, month: null, total: null };

async function newProject(context: SampleContext) {
  const path = { account_id: context.accountId };
  const operator = await operatorOf(context);
  const body = { name: newId(), allowed_models: ['small'], each_service_account: DAILY, each_session: '5' };
  const project = await operator.ok('POST /accounts/{account_id}/projects', { path, body });
  return { ...path, project_id: project.project_id };
}

async function newServiceAccount(context: SampleContext) {
  const path = await newProject(context);
  const operator = await operatorOf(context);
  const { service_account_id } = await operator.ok(
    'POST /accounts/{account_id}/projects/{project_id}/service-accounts',
    { path, body: { name: 'ci', allowed_models: ['small'], each_key: DAILY } },
  );
  return { ...path, service_account_id };
}

async function newProjectMember(context: SampleContext) {
  const path = { ...(await newProject(context)), person_id: (await newMember(context)).person_id };
  const operator = await operatorOf(context);
  await operator.ok('PATCH /accounts/{account_id}/projects/{project_id}/members/{person_id}', {
    ...{ path, body: { allowed_models: ['small'] } },
  });
  return path;
}

/** What the caller can ask for: more for a key that they may use. */
async function askable({ running, accountId, caller, role }: SampleContext) {
  const maker = role === 'developer' ? caller : await running.signedIn('owner', accountId);
  const { key } = await maker.api.ok('POST /accounts/{account_id}/keys', {
    path: { account_id: accountId },
    body: { name: 'capped', caps: { day: '10', week: null, month: null, total: null } },
  });
  return { key_id: key.key_id, scope: 'key', id: key.key_id, window: 'day', reason: 'for a test' } as const;
}

/** What the caller asked for, if they may ask. */
async function newLimitRequest(context: SampleContext) {
  const asker =
    context.role === 'billing' ? await context.running.signedIn('owner', context.accountId) : context.caller;
  const path = { account_id: context.accountId };
  const body = await askable(context);
  const { limit_request_id } = await asker.api.ok('POST /accounts/{account_id}/limit-requests', { path, body });
  return { ...path, limit_request_id };
}

async function newVoucher(context: SampleContext) {
  const operator = await operatorOf(context);
  const body = { amount: '5', reason: 'Welcome', credit_days: 30, expires_at: inAnHour() };
  const { data } = await operator.ok('POST /operator/vouchers', { body });
  const [voucher] = data;
  if (voucher === undefined) throw new Error('no voucher was made');
  return voucher;
}

const email = () => `${newId()}@example.com`;

/** The month of a statement of the account. */
async function ofStatement({ running, accountId }: SampleContext) {
  await running.fund(accountId, 10n);
  return { path: { account_id: accountId, month: await running.issueStatement(accountId) } };
}

/** A request for every operation that is open to roles. */
export const SAMPLES: Samples = {
  'GET /accounts/{account_id}': ofAccount,
  'PATCH /accounts/{account_id}': async (context) => ({ ...(await ofAccount(context)), body: { name: 'Renamed' } }),
  'GET /accounts/{account_id}/balance': ofAccount,
  'GET /accounts/{account_id}/overview': async (context) => ({
    ...(await ofAccount(context)),
    query: { ...lastHour(), interval: 'hour' },
  }),
  'GET /accounts/{account_id}/usage': async (context) => ({
    ...(await ofAccount(context)),
    query: { ...lastHour(), interval: 'day', group_by: 'model,key,project,owner' },
  }),
  'GET /accounts/{account_id}/focus': async (context) => ({
    ...(await ofAccount(context)),
    query: { month: new Date().toISOString().slice(0, 7) },
  }),
  'GET /accounts/{account_id}/deposits': async (context) => ({ ...(await ofAccount(context)), query: lastHour() }),
  'POST /accounts/{account_id}/deposits': async (context) => ({
    ...(await ofAccount(context)),
    body: { kind: 'deposit', amount: '1', reason: 'for a test', idempotency_key: newId() },
  }),
  'GET /accounts/{account_id}/statements': ofAccount,
  'GET /accounts/{account_id}/statements/{month}': ofStatement,
  'GET /accounts/{account_id}/statements/{month}/lines': ofStatement,
  'GET /accounts/{account_id}/statements/{month}/document': ofStatement,
  'GET /accounts/{account_id}/deposits/{deposit_id}/receipt': async (context) => ({
    path: { ...(await ofAccount(context)).path, deposit_id: await context.running.fund(context.accountId, 1n) },
  }),
  'GET /accounts/{account_id}/alerts': ofAccount,
  'PUT /accounts/{account_id}/alerts': async (context) => ({
    ...(await ofAccount(context)),
    body: { thresholds: ['5', '1'] },
  }),
  'PUT /accounts/{account_id}/alert-mails': async (context) => ({
    ...(await ofAccount(context)),
    body: { enabled: false },
  }),
  'POST /accounts/{account_id}/suspend': async (context) => ({
    path: { account_id: await context.running.createAccount('To suspend') },
    body: { reason: 'for a test' },
  }),
  'POST /accounts/{account_id}/resume': ofAccount,
  'GET /accounts/{account_id}/search': async (context) => ({ ...(await ofAccount(context)), query: { q: 'small' } }),

  'GET /accounts/{account_id}/payment-options': ofAccount,
  'POST /accounts/{account_id}/payments': async (context) => ({
    ...(await ofAccount(context)),
    body: { amount: '50', save_method: false, idempotency_key: newId() },
  }),
  'GET /accounts/{account_id}/payments': ofAccount,
  'GET /accounts/{account_id}/payments/{payment_id}': async ({ accountId }) => ({
    path: { account_id: accountId, payment_id: newId() },
  }),
  'POST /accounts/{account_id}/payments/{payment_id}/refunds': async ({ accountId }) => ({
    path: { account_id: accountId, payment_id: newId() },
    body: { amount: '5', reason: 'for a test', idempotency_key: newId() },
  }),
  'GET /accounts/{account_id}/payment-limits': ofAccount,
  'PUT /accounts/{account_id}/payment-limits': async (context) => ({
    ...(await ofAccount(context)),
    body: { daily_limit: '1000', reason: 'for a test' },
  }),
  'POST /accounts/{account_id}/payment-limits/clear-failed-cards': async (context) => ({
    ...(await ofAccount(context)),
    body: { reason: 'for a test' },
  }),
  'GET /accounts/{account_id}/payment-methods': ofAccount,
  'DELETE /accounts/{account_id}/payment-methods/{method_id}': async ({ accountId }) => ({
    path: { account_id: accountId, method_id: 'pm_1' },
  }),

  'GET /accounts/{account_id}/automatic-top-up': ofAccount,
  'PUT /accounts/{account_id}/automatic-top-up': async (context) => ({
    ...(await ofAccount(context)),
    body: { threshold: '5', target: '25', monthly_max: '100', method_id: 'pm_1' },
  }),
  'DELETE /accounts/{account_id}/automatic-top-up': ofAccount,
  'POST /accounts/{account_id}/automatic-top-up/resume': ofAccount,

  'GET /accounts/{account_id}/keys': ofAccount,
  'POST /accounts/{account_id}/keys': async (context) => ({
    ...(await ofAccount(context)),
    body: { name: 'new', each_session: '5' },
  }),
  'GET /accounts/{account_id}/keys/{key_id}': async (context) => ({ path: await ownKey(context) }),
  'PATCH /accounts/{account_id}/keys/{key_id}': async (context) => ({
    path: await ownKey(context),
    body: { name: 'renamed' },
  }),
  'DELETE /accounts/{account_id}/keys/{key_id}': async (context) => ({ path: await ownKey(context) }),
  'POST /accounts/{account_id}/keys/{key_id}/rotate': async (context) => ({
    path: await ownKey(context),
    body: { overlap_seconds: 0, idempotency_key: newId() },
  }),
  'GET /accounts/{account_id}/keys/{key_id}/propagation': async (context) => ({ path: await ownKey(context) }),
  'POST /accounts/{account_id}/keys/find': async (context) => ({
    ...(await ofAccount(context)),
    body: { sha256: createHash('sha256').update('a key').digest('hex') },
  }),

  'GET /accounts/{account_id}/limits': async (context) => {
    const { account_id, project_id } = await newServiceAccount(context);
    return { path: { account_id }, query: { project_id } };
  },
  'GET /accounts/{account_id}/projects': ofAccount,
  'POST /accounts/{account_id}/projects': async (context) => ({
    ...(await ofAccount(context)),
    body: {
      name: newId(),
      caps: DAILY,
      each_key: DAILY,
      each_member: DAILY,
      each_service_account: DAILY,
      each_session: '5',
    },
  }),
  'PATCH /accounts/{account_id}/projects/{project_id}': async (context) => ({
    path: await newProject(context),
    body: { enabled: false },
  }),
  'DELETE /accounts/{account_id}/projects/{project_id}': async (context) => ({ path: await newProject(context) }),
  'GET /accounts/{account_id}/projects/{project_id}/service-accounts': async (context) => {
    const { account_id, project_id } = await newServiceAccount(context);
    return { path: { account_id, project_id } };
  },
  'POST /accounts/{account_id}/projects/{project_id}/service-accounts': async (context) => ({
    path: await newProject(context),
    body: { name: 'ci', expires_at: inAnHour(), caps: { ...DAILY, day: '6' }, exceeds_defaults: true, each_key: DAILY },
  }),
  'PATCH /accounts/{account_id}/projects/{project_id}/service-accounts/{service_account_id}': async (context) => ({
    path: await newServiceAccount(context),
    body: { name: 'renamed', each_key: DAILY, each_session: '0', exceeds_defaults: false },
  }),
  'DELETE /accounts/{account_id}/projects/{project_id}/service-accounts/{service_account_id}': async (context) => ({
    path: await newServiceAccount(context),
  }),
  'POST /accounts/{account_id}/limit-requests': async (context) => ({
    path: { account_id: context.accountId },
    body: await askable(context),
  }),
  'GET /accounts/{account_id}/limit-requests': ofAccount,
  'GET /accounts/{account_id}/limit-requests/{limit_request_id}': async (context) => ({
    path: await newLimitRequest(context),
  }),
  'POST /accounts/{account_id}/limit-requests/{limit_request_id}/grant': async (context) => ({
    path: await newLimitRequest(context),
    body: { amount: '20', duration: 'window' },
  }),
  'POST /accounts/{account_id}/limit-requests/{limit_request_id}/decline': async (context) => ({
    path: await newLimitRequest(context),
    body: { note: 'not now' },
  }),
  'POST /accounts/{account_id}/limit-requests/{limit_request_id}/withdraw': async (context) => ({
    path: await newLimitRequest(context),
  }),
  'GET /accounts/{account_id}/projects/{project_id}/members': async (context) => {
    const { account_id, project_id } = await newProjectMember(context);
    return { path: { account_id, project_id } };
  },
  'PATCH /accounts/{account_id}/projects/{project_id}/members/{person_id}': async (context) => ({
    path: await newProjectMember(context),
    body: { enabled: false, each_key: DAILY, each_session: '5', exceeds_defaults: true },
  }),

  'GET /accounts/{account_id}/requests': async (context) => ({ ...(await ofAccount(context)), query: lastHour() }),
  'GET /accounts/{account_id}/requests/export': async (context) => ({
    ...(await ofAccount(context)),
    query: { ...lastHour(), format: 'csv' },
  }),
  'GET /accounts/{account_id}/requests/{id}': async (context) => {
    const { running, accountId } = context;
    await running.fund(accountId, 10n);
    const { key_id: keyId } = await ownKey(context);
    const attempts = [
      { deployment: 'small@p', startedMs: 1, durationMs: 5, cause: 'server_error', providerStatus: 500 },
    ];
    const [charge] = await running.charge(accountId, { costNanos: 10n, keyId, attempts });
    return { path: { account_id: accountId, id: charge?.requestId ?? '' } };
  },

  'GET /accounts/{account_id}/models': ofAccount,
  'POST /accounts/{account_id}/playground': async (context) => ({
    ...(await ofAccount(context)),
    body: { model: 'small', messages: [{ role: 'user', content: 'Hello' }] },
  }),

  'GET /accounts/{account_id}/members': ofAccount,
  'PATCH /accounts/{account_id}/members/{person_id}': async (context) => ({
    path: await newMember(context),
    body: { role: 'billing' },
  }),
  'DELETE /accounts/{account_id}/members/{person_id}': async (context) => ({ path: await newMember(context) }),
  'POST /accounts/{account_id}/invitations': async (context) => ({
    ...(await ofAccount(context)),
    body: { email: email(), role: 'developer' },
  }),
  'DELETE /accounts/{account_id}/invitations/{invitation_id}': async (context) => {
    const operator = await operatorOf(context);
    const path = { account_id: context.accountId };
    const body = { email: email(), role: 'developer' as const };
    const { invitation } = await operator.ok('POST /accounts/{account_id}/invitations', { path, body });
    return { path: { ...path, invitation_id: invitation.invitation_id } };
  },
  'GET /accounts/{account_id}/management-keys': ofAccount,
  'POST /accounts/{account_id}/management-keys': async (context) => ({
    ...(await ofAccount(context)),
    body: { name: 'new', role: 'developer', expires_at: inAnHour() },
  }),
  'DELETE /accounts/{account_id}/management-keys/{management_key_id}': async (context) => {
    const operator = await operatorOf(context);
    const path = { account_id: context.accountId };
    const body = { name: 'old', role: 'developer' as const, expires_at: inAnHour() };
    const { key } = await operator.ok('POST /accounts/{account_id}/management-keys', { path, body });
    return { path: { ...path, management_key_id: key.management_key_id } };
  },
  'GET /accounts/{account_id}/audit': async (context) => ({ ...(await ofAccount(context)), query: lastHour() }),
  'GET /accounts/{account_id}/audit/export': async (context) => ({
    ...(await ofAccount(context)),
    query: { ...lastHour(), format: 'json' },
  }),

  'GET /operator/accounts': nothing,
  'GET /operator/search': async ({ accountId }) => ({ query: { q: accountId } }),
  'POST /operator/accounts': async () => ({ body: { name: 'New', idempotency_key: newId() } }),
  'GET /operator/models': nothing,
  'GET /operator/providers': nothing,
  'GET /operator/providers/{provider}/bills': async () => ({ path: { provider: 'sim' }, query: lastHour() }),
  'POST /operator/providers/{provider}/bills': async () => ({
    path: { provider: 'sim' },
    body: { content: `usage_date_utc,cost_usd,model\n${new Date().toISOString().slice(0, 10)},1.5,small` },
  }),
  'POST /operator/providers/{provider}/test': async () => ({ path: { provider: 'sim' }, body: {} }),
  'POST /operator/vouchers': async () => ({ body: { amount: '5', reason: 'Welcome' } }),
  'GET /operator/vouchers': nothing,
  'POST /operator/vouchers/{voucher_id}/revoke': async (context) => ({
    path: { voucher_id: (await newVoucher(context)).voucher_id },
  }),
  'POST /accounts/{account_id}/vouchers': async (context) => ({
    ...(await ofAccount(context)),
    body: { code: (await newVoucher(context)).code },
  }),
  'GET /operator/ledger': nothing,
  'GET /operator/quarantine': nothing,
  'POST /operator/quarantine/repost': async ({ running }) => ({ body: await running.quarantine() }),
  'GET /operator/catalogue': nothing,
  'POST /operator/catalogue/compare': async () => ({ body: { content: 'version: 1' } }),
  'GET /operator/operators': nothing,
  'POST /operator/invitations': async () => ({ body: { email: email() } }),
  'DELETE /operator/invitations/{invitation_id}': async (context) => {
    const operator = await operatorOf(context);
    const { invitation } = await operator.ok('POST /operator/invitations', { body: { email: email() } });
    return { path: { invitation_id: invitation.invitation_id } };
  },
  'DELETE /operator/operators/{person_id}': async ({ running }) => ({
    path: { person_id: (await running.signedIn('operator')).personId },
  }),
  'GET /operator/management-keys': nothing,
  'POST /operator/management-keys': async () => ({ body: { name: 'new', expires_at: inAnHour() } }),
  'DELETE /operator/management-keys/{management_key_id}': async (context) => {
    const operator = await operatorOf(context);
    const body = { name: 'old', expires_at: inAnHour() };
    const { key } = await operator.ok('POST /operator/management-keys', { body });
    return { path: { management_key_id: key.management_key_id } };
  },
  'GET /operator/audit': async () => ({ query: lastHour() }),
  'GET /operator/audit/export': async () => ({ query: { ...lastHour(), format: 'csv' } }),
};

export const ROLE_ROUTES = Object.keys(SAMPLES) as RoleRoute[];
