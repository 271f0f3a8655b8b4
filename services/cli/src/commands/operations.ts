import type { Api } from '@tollgate/console/api/index';
import { renderText } from '../output/render.ts';
import type { OperationCommand } from './operation-command.ts';
import { memberId, operatorId } from './people.ts';

type Response<R extends keyof Api> = Api[R]['response'];

/** Longer than a gateway may take to test a provider. */
const TEST_TIMEOUT_MS = 120_000;
const RECENT = { range: '30d' };
const CREATED_KEY = 'Save it now: it is not stored and cannot be shown again.\n';

/** What is set of a project, a service account or a member in a project, but for on and off. */
const SETTINGS = ['expires_at', 'allowed_models', 'caps', 'limits'];
/** What of these lists show of a service account, a member or a key. */
const IN_FORCE = ['expires_at', 'allowed_models', 'applied_caps', 'limits'];
/** What applies to each key and session below. */
const DEFAULTS = ['each_key', 'each_session'];
/** Also to each member and service account of a project. */
const OF_PROJECT = [...DEFAULTS, 'each_member', 'each_service_account'];
/** For a service account or a member. */
const OF_OWNER = [...DEFAULTS, 'exceeds_defaults'];
const ON = { fields: [], values: { enabled: true } };
const OFF = { fields: [], values: { enabled: false } };

/** The commands that call one operation. */
export const OPERATION_COMMANDS: readonly OperationCommand[] = [
  { name: 'accounts create', route: 'POST /operator/accounts', args: ['name'] },
  { name: 'accounts get', route: 'GET /accounts/{account_id}' },
  {
    name: 'accounts list',
    route: 'GET /operator/accounts',
    columns: [
      'account_id',
      'name',
      'status',
      'created_at',
      'discount_percent',
      'limits',
      'available',
      'spent_this_month',
    ],
  },
  { name: 'accounts update', route: 'PATCH /accounts/{account_id}', fields: ['name', 'discount_percent', 'limits'] },
  {
    name: 'accounts set-discount',
    route: 'PATCH /accounts/{account_id}',
    description: 'Set the discount on list prices, from the next request on',
    args: ['discount_percent'],
    fields: [],
  },
  { name: 'accounts suspend', route: 'POST /accounts/{account_id}/suspend' },
  { name: 'accounts resume', route: 'POST /accounts/{account_id}/resume' },

  {
    name: 'keys create',
    route: 'POST /accounts/{account_id}/keys',
    description: 'Create a key; it is shown only once',
    defaults: { name: 'key' },
    text: withSecret,
  },
  { name: 'keys get', route: 'GET /accounts/{account_id}/keys/{key_id}' },
  {
    name: 'keys list',
    route: 'GET /accounts/{account_id}/keys',
    columns: [
      ...[
        'key_id',
        'name',
        'project_name',
        'owner.name',
        'last_four',
        'status',
        'created_at',
        'expires_at',
        'allowed_models',
        'applied_caps',
        'limits',
        'tags',
      ],
      ...['last_used_at', 'spent_this_month'],
    ],
  },
  { name: 'keys update', route: 'PATCH /accounts/{account_id}/keys/{key_id}' },
  {
    name: 'keys set-caps',
    route: 'PATCH /accounts/{account_id}/keys/{key_id}',
    description: 'Replace all spending caps of a key',
    fields: ['caps'],
  },
  {
    name: 'keys rotate',
    route: 'POST /accounts/{account_id}/keys/{key_id}/rotate',
    description: 'Give a key a new value; it is shown only once',
    defaults: { overlap_seconds: 0 },
    text: withSecret,
  },
  { name: 'keys delete', route: 'DELETE /accounts/{account_id}/keys/{key_id}' },

  {
    name: 'projects create',
    route: 'POST /accounts/{account_id}/projects',
    args: ['name'],
    fields: [...SETTINGS, ...OF_PROJECT],
  },
  {
    name: 'projects list',
    isDefault: true,
    route: 'GET /accounts/{account_id}/projects',
    columns: ['project_id', 'name', 'status', ...SETTINGS],
  },
  {
    name: 'projects update',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}',
    description: 'Change a project',
    fields: ['name', ...SETTINGS, ...OF_PROJECT],
  },
  {
    name: 'projects enable',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}',
    description: 'Accept the keys of a project again',
    ...ON,
  },
  {
    name: 'projects disable',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}',
    description: 'Refuse all keys of a project until it is enabled again',
    ...OFF,
  },
  { name: 'projects delete', route: 'DELETE /accounts/{account_id}/projects/{project_id}' },
  {
    name: 'limit-requests create',
    route: 'POST /accounts/{account_id}/limit-requests',
    args: ['key_id'],
  },
  {
    name: 'limit-requests list',
    isDefault: true,
    route: 'GET /accounts/{account_id}/limit-requests',
    columns: [
      ...[
        'limit_request_id',
        'asked_by.name',
        'key_name',
        'scope',
        'name',
        'window',
        'limit',
        'amount',
        'reason',
        'status',
      ],
      'granted',
    ],
  },
  { name: 'limit-requests get', route: 'GET /accounts/{account_id}/limit-requests/{limit_request_id}' },
  {
    name: 'limit-requests grant',
    route: 'POST /accounts/{account_id}/limit-requests/{limit_request_id}/grant',
    args: ['amount'],
  },
  { name: 'limit-requests decline', route: 'POST /accounts/{account_id}/limit-requests/{limit_request_id}/decline' },
  { name: 'limit-requests withdraw', route: 'POST /accounts/{account_id}/limit-requests/{limit_request_id}/withdraw' },

  {
    name: 'projects members',
    route: 'GET /accounts/{account_id}/projects/{project_id}/members',
    columns: ['person_id', 'email', 'status', ...IN_FORCE],
  },
  {
    name: 'projects limit-member',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}/members/{person_id}',
    description: 'Limit the keys of a member in a project',
    find: { person_id: memberId },
    fields: [...SETTINGS, ...OF_OWNER],
  },
  {
    name: 'projects enable-member',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}/members/{person_id}',
    description: 'Accept the keys of a member in a project again',
    find: { person_id: memberId },
    ...ON,
  },
  {
    name: 'projects disable-member',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}/members/{person_id}',
    description: 'Refuse all keys of a member in a project until they are enabled again',
    find: { person_id: memberId },
    ...OFF,
  },
  {
    name: 'service-accounts create',
    route: 'POST /accounts/{account_id}/projects/{project_id}/service-accounts',
    args: ['name'],
    fields: [...SETTINGS, ...OF_OWNER],
  },
  {
    name: 'service-accounts list',
    isDefault: true,
    route: 'GET /accounts/{account_id}/projects/{project_id}/service-accounts',
    columns: ['service_account_id', 'name', 'status', ...IN_FORCE],
  },
  {
    name: 'service-accounts update',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}/service-accounts/{service_account_id}',
    description: 'Change a service account',
    fields: ['name', ...SETTINGS, ...OF_OWNER],
  },
  {
    name: 'service-accounts enable',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}/service-accounts/{service_account_id}',
    description: 'Accept the keys of a service account again',
    ...ON,
  },
  {
    name: 'service-accounts disable',
    route: 'PATCH /accounts/{account_id}/projects/{project_id}/service-accounts/{service_account_id}',
    description: 'Refuse all keys of a service account until it is enabled again',
    ...OFF,
  },
  {
    name: 'service-accounts delete',
    route: 'DELETE /accounts/{account_id}/projects/{project_id}/service-accounts/{service_account_id}',
  },

  {
    name: 'limits show',
    isDefault: true,
    route: 'GET /accounts/{account_id}/limits',
    description: 'What is spent of each cap of projects, their owners and keys',
    columns: ['scope', 'name', 'id', 'parent_id', 'status', 'cap_usage'],
  },
  {
    name: 'deposits create',
    route: 'POST /accounts/{account_id}/deposits',
    description: 'Credit an account; adjustments and refunds may debit, disputes always do',
    defaults: { kind: 'deposit', reason: 'entered by an operator' },
  },
  { name: 'deposits list', route: 'GET /accounts/{account_id}/deposits', defaults: RECENT },
  {
    name: 'deposits receipt',
    route: 'GET /accounts/{account_id}/deposits/{deposit_id}/receipt',
    description: 'Write the receipt of a deposit as a PDF document',
  },
  {
    name: 'statements list',
    isDefault: true,
    route: 'GET /accounts/{account_id}/statements',
    columns: ['month', 'opening', 'deposits', 'refunds', 'disputes', 'adjustments', 'charges', 'expired', 'closing'],
  },
  { name: 'statements get', route: 'GET /accounts/{account_id}/statements/{month}' },
  { name: 'statements lines', route: 'GET /accounts/{account_id}/statements/{month}/lines' },
  {
    name: 'statements download',
    route: 'GET /accounts/{account_id}/statements/{month}/document',
    description: 'Write the statement of a month as a PDF document, or its lines as CSV',
  },
  {
    name: 'vouchers create',
    route: 'POST /operator/vouchers',
    args: ['amount', 'reason'],
    columns: ['code', 'voucher_id', 'amount', 'expires_at', 'credit_days'],
  },
  { name: 'vouchers list', route: 'GET /operator/vouchers' },
  { name: 'vouchers revoke', route: 'POST /operator/vouchers/{voucher_id}/revoke' },
  { name: 'vouchers redeem', route: 'POST /accounts/{account_id}/vouchers', args: ['code'] },
  {
    name: 'payments limits',
    isDefault: true,
    route: 'GET /accounts/{account_id}/payment-limits',
  },
  {
    name: 'payments set-limit',
    route: 'PUT /accounts/{account_id}/payment-limits',
    description: 'Set what an account may pay in within 24 hours; without --daily-limit, what it paid so far decides',
  },
  {
    name: 'payments clear-failed-cards',
    route: 'POST /accounts/{account_id}/payment-limits/clear-failed-cards',
  },
  { name: 'top-up show', isDefault: true, route: 'GET /accounts/{account_id}/automatic-top-up' },
  { name: 'top-up set', route: 'PUT /accounts/{account_id}/automatic-top-up' },
  { name: 'top-up off', route: 'DELETE /accounts/{account_id}/automatic-top-up' },
  { name: 'top-up resume', route: 'POST /accounts/{account_id}/automatic-top-up/resume' },
  { name: 'payments cards', route: 'GET /accounts/{account_id}/payment-methods' },
  { name: 'balance show', isDefault: true, route: 'GET /accounts/{account_id}/balance' },
  {
    name: 'events list',
    route: 'GET /accounts/{account_id}/alerts',
    description: 'The last events of an account, and their delivery',
    text: ({ events }: Response<'GET /accounts/{account_id}/alerts'>) => renderText({ data: events }),
  },

  {
    name: 'requests list',
    route: 'GET /accounts/{account_id}/requests',
    defaults: { range: '24h' },
    columns: [
      'request_id',
      'started_at',
      'model',
      'key_name',
      'status',
      'reason_label',
      'tokens',
      'duration_ms',
      'cost',
    ],
  },
  {
    name: 'usage show',
    isDefault: true,
    route: 'GET /accounts/{account_id}/usage',
    description: 'What was used and charged, by hour, day or month, by model, key, project and owner',
    defaults: { ...RECENT, interval: 'day' },
    columns: ['start', 'project_id', 'owner_id', 'key_id', 'model', 'requests', 'tokens', 'cost'],
  },
  {
    name: 'usage focus',
    route: 'GET /accounts/{account_id}/focus',
    description: 'Write the charges of a month or range of days in FOCUS 1.2, for tools of finance',
  },
  { name: 'requests get', route: 'GET /accounts/{account_id}/requests/{id}' },

  {
    name: 'models list',
    isDefault: true,
    route: 'GET /operator/models',
    description: 'Models, with prices in US dollars per million tokens',
    inAccount: 'GET /accounts/{account_id}/models',
    columns: [
      ...['model', 'price.rates.input', 'price.rates.cache_read', 'price.rates.output', 'context_window', 'enabled'],
      ...['available', 'simulated', 'aliases'],
    ],
  },
  {
    name: 'models health',
    route: 'GET /operator/providers',
    description: 'Which deployments are in rotation, and the outcomes of their last 15 minutes',
    text: ({ data }: Response<'GET /operator/providers'>) =>
      renderText({
        data: data.flatMap(({ provider, deployments }) => deployments.map((each) => ({ ...each, provider }))),
      }),
  },
  {
    name: 'providers list',
    isDefault: true,
    route: 'GET /operator/providers',
    description: 'Providers: address, whether an ingress has the credential',
    columns: ['provider', 'protocol', 'dialect', 'base_url', 'simulated', 'credential', 'credential_problem'],
  },
  {
    name: 'providers test',
    route: 'POST /operator/providers/{provider}/test',
    problem: ({ provider, checks }: Response<'POST /operator/providers/{provider}/test'>) => {
      const failed = checks.filter(({ required, result }) => required && result === 'fails');
      return failed.length === 0
        ? undefined
        : `${provider} does not hold: ${failed.map(({ name }) => name).join(', ')}`;
    },
    timeoutMs: TEST_TIMEOUT_MS,
  },

  { name: 'providers bills', route: 'GET /operator/providers/{provider}/bills', defaults: RECENT },

  { name: 'members list', route: 'GET /accounts/{account_id}/members' },
  { name: 'members invite', route: 'POST /accounts/{account_id}/invitations', args: ['email', 'role'] },
  {
    name: 'members set-role',
    route: 'PATCH /accounts/{account_id}/members/{person_id}',
    args: ['role'],
    find: { person_id: memberId },
  },
  {
    name: 'members set-projects',
    route: 'PATCH /accounts/{account_id}/members/{person_id}',
    description: 'Limit a developer to projects: they see and make keys, requests and usage of these alone',
    fields: ['project_ids'],
    find: { person_id: memberId },
  },
  {
    name: 'members remove',
    route: 'DELETE /accounts/{account_id}/members/{person_id}',
    find: { person_id: memberId },
  },
  { name: 'operators list', route: 'GET /operator/operators' },
  { name: 'operators invite', route: 'POST /operator/invitations', args: ['email'] },
  {
    name: 'operators remove',
    route: 'DELETE /operator/operators/{person_id}',
    find: { person_id: operatorId },
  },

  {
    name: 'quarantine list',
    route: 'GET /operator/quarantine',
  },
  {
    name: 'quarantine repost',
    route: 'POST /operator/quarantine/repost',
    args: ['account_id', 'request_id'],
    defaults: { content_hash: '' },
    problem: ({ outcome, reason }: Response<'POST /operator/quarantine/repost'>) =>
      outcome === 'quarantined' ? `it is still quarantined: ${reason}` : undefined,
  },
  {
    name: 'audit list',
    isDefault: true,
    route: 'GET /operator/audit',
    inAccount: 'GET /accounts/{account_id}/audit',
    defaults: RECENT,
    columns: [
      ...['created_at', 'actor.name', 'actor.role', 'actor.via', 'action', 'target_id', 'target_name', 'details'],
    ],
  },
];

function withSecret({ key, secret }: Response<'POST /accounts/{account_id}/keys'>): string {
  return `${renderText(key)}\n${secret}\n\n${CREATED_KEY}`;
}
