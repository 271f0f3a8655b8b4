import type { JsonOf } from '@tollgate/common/descriptors/json-types';
import type { Account, UpdateAccountRequest } from '@tollgate/proto/auth';
import { z } from 'zod';
import { entity, requestBody } from './described.ts';
import {
  accountPath,
  balance,
  bounds,
  cursor,
  id,
  idempotencyKey,
  limit,
  money,
  nextCursor,
  range,
  searchText,
  time,
  UNCHANGED,
} from './fields.ts';
import { operation } from './operation.ts';
import './settings.ts';

const ANY = ['operator', 'owner', 'admin', 'developer', 'billing'] as const;

export type AccountJson = JsonOf<
  Omit<Account, 'tag' | 'alertMails'>,
  { status: 'active' | 'suspended'; created_at: string }
>;

export const account = entity<AccountJson>('tollgate.auth.v1.Account');

/** Sums of one interval and group. */
export const usageRow = z.object({
  start: time,
  model: z.string().nullable().describe('Null unless grouped by it.'),
  key_id: id.nullable().describe('Null unless grouped by it.'),
  requests: z.int(),
  tokens: z.int().describe('All token buckets together.'),
  cost: money,
});

const keySum = z.object({
  key_id: id,
  name: z.string(),
  last_four: z.string(),
  requests: z.int(),
  tokens: z.int(),
  cost: money,
});
const modelSum = z.object({ model: z.string(), requests: z.int(), tokens: z.int(), cost: money });

/** One account and its money. */
export const accountOperations = {
  'GET /accounts/{account_id}': operation({
    id: 'getAccount',
    summary: 'An account',
    access: ANY,
    programs: true,
    path: accountPath,
    response: account,
  }),
  'PATCH /accounts/{account_id}': operation({
    id: 'updateAccount',
    summary: 'Change an account; discount and limits are for operators',
    access: ['operator', 'owner'],
    programs: true,
    path: accountPath,
    body: requestBody<JsonOf<Omit<UpdateAccountRequest, 'accountId'>>>('tollgate.auth.v1.UpdateAccountRequest', [
      'account_id',
    ]).describe(UNCHANGED),
    response: account,
  }),
  'GET /accounts/{account_id}/balance': operation({
    id: 'getBalance',
    summary: 'What an account can spend',
    access: ANY,
    programs: true,
    path: accountPath,
    response: balance,
  }),
  'GET /accounts/{account_id}/overview': operation({
    id: 'getOverview',
    summary: 'Balance, forecast, spend over time, and what was refused',
    access: ANY,
    path: accountPath,
    query: z.strictObject({
      ...range,
      interval: z.enum(['hour', 'day', 'month']),
      group_by: z.enum(['model', 'key']).default('model').describe('Of `usage`. Keys: only for roles that see them.'),
    }),
    response: z.object({
      range: bounds,
      balance,
      forecast: z
        .object({ spent_per_day: money, runs_out_at: time.nullable() })
        .nullable()
        .describe('By the spending of the last 7 days, today included; null: nothing was spent.'),
      usage: z
        .array(usageRow)
        .describe(
          'Usage over time by model, or of the 10 keys of `keys` and, in rows without a key, of all others together.',
        ),
      total: z.object({ requests: z.int(), tokens: z.int(), cost: money }),
      models: z.array(modelSum).describe('Most spent first, at most 10.'),
      keys: z.array(keySum).describe('Most spent first, at most 10; empty for roles that do not see keys.'),
      tags: z
        .array(z.object({ name: z.string(), value: z.string(), requests: z.int(), tokens: z.int(), cost: money }))
        .describe(
          'By the tags that keys carry now. At most 10, most spent first. Empty for roles that do not see keys.',
        ),
      refused: z
        .array(
          z.object({ reason: z.string(), label: z.string(), sentence: z.string(), action: z.string(), count: z.int() }),
        )
        .describe('Most first. Whole UTC days: the first day of the range is counted entirely.'),
      has_key: z.boolean().describe('Whether the account has a key that the caller may see.'),
      has_request: z.boolean().describe('Whether the account has had a request that the caller may see.'),
    }),
  }),
  'GET /accounts/{account_id}/usage': operation({
    id: 'getUsage',
    summary: 'Requests, tokens and cost by interval and group',
    access: ANY,
    programs: true,
    path: accountPath,
    query: z.strictObject({
      ...range,
      interval: z.enum(['hour', 'day', 'month']),
      group_by: z.string().max(20).optional().describe('Comma-separated: model, key.'),
      key_id: id.optional().describe('Only of this key.'),
    }),
    response: z.object({ range: bounds, data: z.array(usageRow) }),
  }),
  'GET /accounts/{account_id}/deposits': operation({
    id: 'listDeposits',
    summary: 'Top-ups and adjustments, newest first',
    access: ['operator', 'owner', 'billing'],
    programs: true,
    path: accountPath,
    query: z.strictObject({ ...range, limit: limit.default(50), cursor: cursor.optional() }),
    response: z.object({
      data: z.array(
        z.object({
          deposit_id: id,
          kind: z.enum(['deposit', 'adjustment', 'refund', 'dispute']),
          amount: money,
          reason: z.string(),
          created_by: z.string().nullable().describe('Who made it; null: not known.'),
          created_at: time,
        }),
      ),
      next_cursor: nextCursor,
    }),
  }),
  'POST /accounts/{account_id}/deposits': operation({
    id: 'createDeposit',
    summary: 'Credit or debit an account by hand',
    access: ['operator'],
    programs: true,
    path: accountPath,
    body: z.strictObject({
      kind: z.enum(['deposit', 'adjustment', 'refund', 'dispute']),
      amount: money.describe('Positive for a deposit, negative for a dispute; an adjustment or refund may be either.'),
      reason: z.string().trim().min(1).max(500),
      idempotency_key: idempotencyKey,
      refuse_shortfall: z
        .boolean()
        .optional()
        .describe('Refuse an adjustment or dispute that the balance cannot cover, instead of owing the rest.'),
    }),
    response: z.object({ deposit_id: id, repeated: z.boolean(), balance }),
  }),
  'GET /accounts/{account_id}/alerts': operation({
    id: 'getAlerts',
    summary: 'Low-balance thresholds, and alerts sent',
    access: ['operator', 'owner', 'billing'],
    programs: true,
    path: accountPath,
    response: z.object({
      thresholds: z.array(money).describe('Highest first.'),
      own: z.boolean().describe("False: the operator's defaults apply."),
      mail: z.boolean().describe('Whether this console can send e-mails.'),
      mail_enabled: z.boolean().describe('Whether the account wants alerts mailed to its owners and billing members.'),
      events: z
        .array(
          z.object({
            event_id: id,
            type: z.string(),
            sentence: z.string(),
            key_id: z.string().nullable().describe('The key whose cap it is about.'),
            created_at: time,
            state: z.string().describe('Of its webhook.'),
            attempts: z.int().describe('To deliver it.'),
            last_error: z.string().nullable(),
            mails: z
              .object({ sent: z.int(), pending: z.int(), failed: z.int() })
              .describe('Its e-mails of the last week, by state.'),
          }),
        )
        .describe('The last 50, newest first.'),
    }),
  }),
  'PUT /accounts/{account_id}/alerts': operation({
    id: 'setAlerts',
    summary: 'Set low-balance thresholds; null restores the defaults',
    access: ['operator', 'owner', 'billing'],
    programs: true,
    path: accountPath,
    body: z.strictObject({ thresholds: z.array(money).max(10).nullable() }),
    response: z.object({ thresholds: z.array(money), own: z.boolean() }),
  }),
  'PUT /accounts/{account_id}/alert-mails': operation({
    id: 'setAlertMails',
    summary: 'Turn e-mails of alerts to owners and billing members on or off',
    access: ['operator', 'owner', 'billing'],
    programs: true,
    path: accountPath,
    body: z.strictObject({ enabled: z.boolean() }),
    response: z.object({ enabled: z.boolean() }),
  }),
  'POST /accounts/{account_id}/suspend': operation({
    id: 'suspendAccount',
    summary: 'Refuse all keys of an account until it is resumed; in force everywhere when the call returns',
    access: ['operator'],
    programs: true,
    path: accountPath,
    body: requestBody<{ reason: string }, 'reason'>('tollgate.auth.v1.SuspendAccountRequest', ['account_id']),
    response: account,
  }),
  'POST /accounts/{account_id}/resume': operation({
    id: 'resumeAccount',
    summary: 'Accept the keys of a suspended account again',
    access: ['operator'],
    programs: true,
    path: accountPath,
    response: account,
  }),
  'GET /accounts/{account_id}/search': operation({
    id: 'search',
    summary: 'Keys, requests, models and members that match a text',
    access: ANY,
    path: accountPath,
    query: z.strictObject({ q: searchText.describe('Part of a name, or an id.') }),
    response: z.object({
      data: z.array(
        z.object({
          kind: z.enum(['key', 'request', 'model', 'member']),
          id: z.string(),
          title: z.string(),
          subtitle: z.string(),
        }),
      ),
    }),
  }),
};
