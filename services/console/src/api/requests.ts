import { z } from 'zod';
import { exported, exportFormat } from './exports.ts';
import { accountPath, cursor, id, limit, money, nextCursor, range, tags, time } from './fields.ts';
import { operation } from './operation.ts';

const ANY = ['operator', 'owner', 'admin', 'developer', 'billing'] as const;

const status = z.enum(['completed', 'cancelled', 'failed', 'refused']);

/** Filters of lists and exports. */
export const requestFilters = {
  ...range,
  model: z.string().max(200).optional().describe('Only of this model.'),
  key_id: id.optional().describe('Only of this key.'),
  status: status.optional().describe('Only with this status.'),
  tag: z.string().max(330).optional().describe('As `name=value`. Refused requests have no tags.'),
  session: z.string().max(100).optional().describe('Only of this session, by the name that the client sent.'),
};

/** What a list shows of a request. Refused requests have no cost, deployment or duration. */
export const requestRow = z.object({
  request_id: id,
  trace_id: z.string().nullable(),
  status,
  started_at: time,
  model: z.string(),
  key_id: id,
  key_name: z.string(),
  deployment: z.string().nullable(),
  streamed: z.boolean(),
  tokens: z.int().describe('All token buckets together.'),
  cost: money,
  duration_ms: z.int().nullable().describe('From start to end; null: it was refused.'),
  first_token_ms: z.int().nullable().describe('From start to the first byte for the client; null: there was none.'),
  session: z.string().nullable().describe('What the client calls the session; null: it sent no name.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why it was refused, such as `insufficient_balance`, or failed, such as `timeout`; null: it was not, or did not.',
    ),
  reason_label: z.string().nullable().describe('The reason in a few words.'),
});

const line = z.object({ bucket: z.string(), quantity: z.int(), rate_per_million: money, amount: money });

/** A request as a bill. */
export const requestBill = requestRow.extend({
  protocol_in: z.string(),
  protocol_out: z.string().nullable(),
  provider: z.string().nullable(),
  finish_reason: z.string().nullable(),
  retries: z.int(),
  usage_estimated: z.boolean(),
  lines: z.array(line),
  price_version: z.string().nullable(),
  price_tier: z.object({ above_input_tokens: z.int() }).nullable().describe('Of a prompt that was longer than this.'),
  price_options: z
    .record(z.string(), z.string())
    .describe('What chose other rates, such as service_tier, speed or the price_multiplier of a deployment.'),
  discount_percent: z.string(),
  hold: money.nullable().describe('The most it could cost, held while it ran.'),
  released: money.nullable().describe('Part of the hold that was released.'),
  settled_at: time.nullable().describe('When the ledger posted its charge.'),
  tags,
  agent_id: z.string().nullable(),
  parent_agent_id: z.string().nullable(),
  upstream_cost: money.optional().describe('What the provider charges for it, as it reported. Only operators get it.'),
  failure: z
    .object({
      http_status: z.int().nullable().describe('Of the error that the client got; null: it had disconnected.'),
      error_type: z.string().nullable(),
      provider_status: z.int().nullable().describe('HTTP status of the provider; null: it sent none.'),
      sentence: z.string().describe('What happened, and what to do about it.'),
      action: z.string(),
    })
    .nullable()
    .describe('Null: it did not fail.'),
  attempts: z
    .array(
      z.object({
        deployment: z.string(),
        started_ms: z.int().describe('From the start of the request.'),
        duration_ms: z.int(),
        outcome: z.string().describe('`responded`, or why it failed, such as `timeout`.'),
        outcome_label: z.string().describe('The outcome in a few words.'),
        provider_status: z.int().nullable(),
      }),
    )
    .describe('Calls to providers, in order; empty if the first one succeeded.'),
  refusal: z
    .object({
      http_status: z.int(),
      error_type: z.string(),
      message: z.string(),
      sentence: z.string().describe('What happened, and what to do about it.'),
      action: z.string(),
    })
    .nullable()
    .describe('Null: it was not refused.'),
});

/** Requests of an account, paid and refused. Developers see those of the keys they made. */
export const requestOperations = {
  'GET /accounts/{account_id}/requests': operation({
    id: 'listRequests',
    summary: 'Requests of a time range, newest first',
    access: ANY,
    programs: true,
    path: accountPath,
    query: z.strictObject({ ...requestFilters, limit: limit.default(50), cursor: cursor.optional() }),
    response: z.object({
      data: z.array(requestRow),
      next_cursor: nextCursor,
      searched_to: time
        .nullable()
        .describe('The search went back to here; older requests follow with the cursor, even if `data` is empty.'),
    }),
  }),
  'GET /accounts/{account_id}/requests/export': operation({
    id: 'exportRequests',
    summary: 'Requests of a time range as CSV or as one JSON object a line, newest first',
    access: ANY,
    programs: true,
    path: accountPath,
    query: z.strictObject({ ...requestFilters, format: exportFormat }),
    response: exported(requestBill),
  }),
  'GET /accounts/{account_id}/requests/{id}': operation({
    id: 'getRequest',
    summary: 'A request by its request id or trace id, as a bill',
    access: ANY,
    programs: true,
    path: z.strictObject({
      account_id: id,
      id: z.string().regex(/^[0-9a-fA-F-]{32,36}$/, 'must be a request id or trace id'),
    }),
    response: requestBill,
  }),
};
