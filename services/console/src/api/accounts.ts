import { z } from 'zod';
import {
  accountPath,
  balance,
  cursor,
  id,
  limit,
  limits,
  money,
  name,
  nextCursor,
  percent,
  range,
  time,
} from './fields.ts';
import { operation } from './operation.ts';

const ANY = ['operator', 'owner', 'admin', 'developer', 'billing'] as const;

export const account = z.object({
  account_id: id,
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  suspension_reason: z.string().nullable(),
  created_at: time,
  discount_percent: percent,
  limits,
});

/** Sums of one interval and group. */
const usageRow = z.object({
  start: time,
  /** Null unless grouped by it. */
  model: z.string().nullable(),
  key_id: id.nullable(),
  requests: z.int(),
  /** All token buckets together. */
  tokens: z.int(),
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
    body: z.strictObject({ name: name.optional(), discount_percent: percent.optional(), limits: limits.optional() }),
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
      /** Of `usage`. Keys: only for roles that see them. */
      group_by: z.enum(['model', 'key']).default('model'),
    }),
    response: z.object({
      balance,
      /** By the spending of the last 7 days, today included; null: nothing was spent. */
      forecast: z.object({ spent_per_day: money, runs_out_at: time.nullable() }).nullable(),
      /** Usage over time by model, or of the 10 keys of `keys` and, in rows without a key, of all others together. */
      usage: z.array(usageRow),
      total: z.object({ requests: z.int(), tokens: z.int(), cost: money }),
      /** Most spent first, at most 10. */
      models: z.array(modelSum),
      /** Most spent first, at most 10; empty for roles that do not see keys. */
      keys: z.array(keySum),
      /** By the tags that keys carry now. At most 10, most spent first. Empty for roles that do not see keys. */
      tags: z.array(z.object({ name: z.string(), value: z.string(), requests: z.int(), tokens: z.int(), cost: money })),
      /** Most first. Whole UTC days: the first day of the range is counted entirely. */
      refused: z.array(
        z.object({ reason: z.string(), label: z.string(), sentence: z.string(), action: z.string(), count: z.int() }),
      ),
      /** Whether the account has a key and has had a request, as far as the caller sees them. */
      has_key: z.boolean(),
      has_request: z.boolean(),
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
      /** Comma-separated: model, key. */
      group_by: z.string().max(20).optional(),
      /** Only of this key. */
      key_id: id.optional(),
    }),
    response: z.object({ data: z.array(usageRow) }),
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
          /** Who made it; null: not known. */
          created_by: z.string().nullable(),
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
      /** Positive for a deposit, negative for a dispute; an adjustment or refund may be either. */
      amount: money,
      reason: z.string().trim().min(1).max(500),
      /** A repeated call with the same key returns the first result. */
      idempotency_key: z.string().min(1).max(200),
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
      /** Highest first. */
      thresholds: z.array(money),
      /** False: the operator's defaults apply. */
      own: z.boolean(),
      /** Whether this console can send e-mails. */
      mail: z.boolean(),
      /** Whether the account wants alerts mailed to its owners and billing members. */
      mail_enabled: z.boolean(),
      /** The last 50, newest first. */
      events: z.array(
        z.object({
          event_id: id,
          type: z.string(),
          sentence: z.string(),
          created_at: time,
          /** Of its webhook. */
          state: z.string(),
          /** Its e-mails of the last week, by state. */
          mails: z.object({ sent: z.int(), pending: z.int(), failed: z.int() }),
        }),
      ),
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
    body: z.strictObject({ reason: z.string().trim().min(1).max(200) }),
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
    query: z.strictObject({ q: z.string().trim().min(1).max(200) }),
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
