import { z } from 'zod';
import {
  accountPath,
  caps,
  cursor,
  id,
  idempotencyKey,
  limit,
  limits,
  money,
  name,
  nextCursor,
  searchText,
  sha256,
  tags,
  time,
  UNCHANGED,
} from './fields.ts';
import { operation } from './operation.ts';

const KEYS = ['operator', 'owner', 'admin', 'developer'] as const;
const keyPath = z.strictObject({ account_id: id, key_id: id });

/** What a key has spent of one of its caps in the current period. */
export const capUsage = z.object({
  period: z.enum(['day', 'month', 'total']),
  limit: money,
  spent: money,
  held: money.describe('Set aside for open and further requests.'),
  left: money,
  reached: z.boolean().describe('All of it is spent, or requests are refused because of it.'),
  resets_at: time.nullable().describe('Null for `total`.'),
});

export const key = z.object({
  key_id: id,
  account_id: id,
  name: z.string(),
  status: z.enum(['active', 'expired', 'deleted']),
  display_prefix: z.string(),
  last_four: z.string(),
  created_at: time,
  created_by: z
    .object({ person_id: id.nullable(), name: z.string() })
    .nullable()
    .describe('Null: at the command line.'),
  expires_at: time.nullable(),
  deleted_at: time.nullable(),
  allowed_models: z.array(z.string()).describe('Empty: all.'),
  caps,
  limits,
  tags,
  last_used_at: time.nullable(),
  previous_value_until: time.nullable().describe('The value before the last rotation is valid until then.'),
});

/** A key with what it has spent. */
export const keyWithUsage = key.extend({ cap_usage: z.array(capUsage), spent_this_month: money });

export const confirmation = z.object({
  ingress: z.string(),
  confirmed: z.boolean(),
  after_ms: z.int().nullable().describe('Milliseconds after the change.'),
});

export const keyAttributes = {
  expires_at: time.nullable().optional().describe('Null: never.'),
  allowed_models: z.array(z.string().min(1).max(200)).max(200).optional().describe('At most 200; empty: all.'),
  caps: caps.optional().describe('For owners, admins and operators; a developer may set them when creating a key.'),
  limits: limits.optional(),
  tags: tags.optional(),
};

/** API keys of an account. Developers see and change the keys that they made. */
export const keyOperations = {
  'GET /accounts/{account_id}/keys': operation({
    id: 'listKeys',
    summary: 'Keys with what they have spent, newest first',
    access: KEYS,
    programs: true,
    path: accountPath,
    query: z.strictObject({
      limit: limit.default(100),
      cursor: cursor.optional(),
      status: z.enum(['active', 'all']).default('active').describe('`all` includes expired and deleted keys.'),
      q: searchText
        .optional()
        .describe(
          'Only keys with this text in their name, in any case, or with these last four characters or this id.',
        ),
    }),
    response: z.object({ data: z.array(keyWithUsage), next_cursor: nextCursor }),
  }),
  'POST /accounts/{account_id}/keys': operation({
    id: 'createKey',
    summary: 'Create a key; its value is only in this response',
    access: KEYS,
    programs: true,
    path: accountPath,
    body: z.strictObject({ name, ...keyAttributes }),
    response: z.object({ key, secret: z.string() }),
  }),
  'GET /accounts/{account_id}/keys/{key_id}': operation({
    id: 'getKey',
    summary: 'A key with what it has spent',
    access: KEYS,
    programs: true,
    path: keyPath,
    response: keyWithUsage,
  }),
  'PATCH /accounts/{account_id}/keys/{key_id}': operation({
    id: 'updateKey',
    summary: 'Change a key; in force at every ingress when the call returns',
    access: KEYS,
    programs: true,
    path: keyPath,
    body: z.strictObject({ name: name.optional(), ...keyAttributes }).describe(UNCHANGED),
    response: key,
  }),
  'DELETE /accounts/{account_id}/keys/{key_id}': operation({
    id: 'deleteKey',
    summary: 'Delete a key for good; no ingress accepts it when the call returns',
    access: KEYS,
    programs: true,
    path: keyPath,
    response: z.object({ key, confirmations: z.array(confirmation) }),
  }),
  'POST /accounts/{account_id}/keys/{key_id}/rotate': operation({
    id: 'rotateKey',
    summary: 'Give a key a new value; the previous one stays valid for a while',
    access: KEYS,
    programs: true,
    path: keyPath,
    body: z.strictObject({
      overlap_seconds: z
        .int()
        .min(0)
        .max(2_592_000)
        .describe('How long the previous value stays valid, at most 30 days.'),
      idempotency_key: idempotencyKey,
    }),
    response: z.object({ key, secret: z.string() }),
  }),
  'GET /accounts/{account_id}/keys/{key_id}/propagation': operation({
    id: 'getKeyPropagation',
    summary: 'Which ingresses have confirmed the last change of a key',
    access: KEYS,
    path: keyPath,
    response: z.object({ confirmations: z.array(confirmation) }),
  }),
  'POST /accounts/{account_id}/keys/find': operation({
    id: 'findKeys',
    summary: 'Find a leaked key by the SHA-256 of its value, or by its last four characters; operators in all accounts',
    access: KEYS,
    programs: true,
    path: accountPath,
    body: z.union([
      z.strictObject({ sha256 }),
      z.strictObject({ last_four: z.string().regex(/^[0-9A-Za-z]{4}$/, 'must be four letters or digits') }),
    ]),
    response: z.object({
      data: z.array(
        key.extend({
          account_name: z.string().nullable().describe('Null unless an operator asks: a key of the account.'),
        }),
      ),
    }),
  }),
};
