import type { JsonOf } from '@tollgate/common/descriptors/json-types';
import type { ApiKey, CreateKeyRequest, UpdateKeyRequest } from '@tollgate/proto/auth';
import { z } from 'zod';
import { entity, requestBody } from './described.ts';
import { accountPath, cursor, id, limit, money, nextCursor, searchText, sha256, time, UNCHANGED } from './fields.ts';
import { operation } from './operation.ts';
import './settings.ts';

/** A key, as JSON. */
export type KeyJson = JsonOf<
  ApiKey,
  {
    status: 'active' | 'expired' | 'deleted';
    created_at: string;
    created_by: { person_id: string; name: string } | null;
  }
>;

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

export const key = entity<KeyJson>('tollgate.auth.v1.ApiKey', {
  created_by: 'Null: at the command line.',
  allowed_models: 'Empty: all.',
  previous_value_until: 'The value before the last rotation is valid until then.',
});

/** A key with what it has spent. */
export const keyWithUsage = key.extend({ cap_usage: z.array(capUsage), spent_this_month: money });

export const confirmation = z.object({
  ingress: z.string(),
  confirmed: z.boolean(),
  after_ms: z.int().nullable().describe('Milliseconds after the change.'),
});

const ATTRIBUTES = {
  expires_at: 'Null: never.',
  allowed_models: 'At most 200; empty: all.',
  caps: 'For owners, admins and operators; a developer may set them when creating a key.',
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
    body: requestBody<JsonOf<Omit<CreateKeyRequest, 'accountId'>>, 'name'>(
      'tollgate.auth.v1.CreateKeyRequest',
      ['account_id'],
      ATTRIBUTES,
    ),
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
    body: requestBody<JsonOf<Omit<UpdateKeyRequest, 'accountId' | 'keyId'>>>(
      'tollgate.auth.v1.UpdateKeyRequest',
      ['account_id', 'key_id'],
      ATTRIBUTES,
    ).describe(UNCHANGED),
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
    body: requestBody<{ overlap_seconds: number; idempotency_key: string }, 'overlap_seconds' | 'idempotency_key'>(
      'tollgate.auth.v1.RotateKeyRequest',
      ['account_id', 'key_id'],
      {
        overlap_seconds: 'How long the previous value stays valid, at most 30 days.',
        idempotency_key: 'A repeated call with the same key changes nothing and returns the first result.',
      },
    ),
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
