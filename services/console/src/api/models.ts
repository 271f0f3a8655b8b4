import { z } from 'zod';
import { accountPath, money, time } from './fields.ts';
import { operation, StreamedResponse } from './operation.ts';

const ANY = ['operator', 'owner', 'admin', 'developer', 'billing'] as const;

const tiers = z.array(z.object({ above_input_tokens: z.int(), rates: z.record(z.string(), money) }));

export const price = z.object({
  version: z.string(),
  effective_from: time.nullable().describe('Null: always.'),
  rates: z.record(z.string(), money).describe('By bucket, per million, at list price.'),
  tiers,
  options: z
    .array(
      z.object({
        name: z.string(),
        value: z.string(),
        multiplier: z.string().nullable().describe('Of all token rates; null where it has rates of its own.'),
        rates: z.record(z.string(), money),
        tiers,
      }),
    )
    .describe('Prices of tokens for requests that choose an option, such as a service tier.'),
});

export const model = z.object({
  model: z.string(),
  display_name: z.string(),
  owned_by: z.string(),
  aliases: z.array(z.string()),
  enabled: z.boolean(),
  available: z.boolean().describe('Whether a deployment is in rotation.'),
  simulated: z.boolean(),
  protocols: z.array(z.string()),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  context_window: z.int(),
  max_output_tokens: z.int(),
  limits: z.object({ requests_per_minute: z.int().nullable(), tokens_per_minute: z.int().nullable() }),
  price: price.nullable().describe('In force now; null: before its first price.'),
  next_prices: z.array(price),
  catalogue: z
    .object({ file: z.string(), line: z.int() })
    .nullable()
    .describe('Where it is defined in the catalogue file; null: not known.'),
});

/** An event of a playground response. */
export const playgroundEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('started'), request_id: z.string(), trace_id: z.string() }),
    z.object({ type: z.literal('delta'), text: z.string() }),
    z.object({ type: z.literal('reasoning'), text: z.string() }),
    z.object({ type: z.literal('tool_call'), index: z.int(), name: z.string().nullable(), arguments: z.string() }),
    z.object({
      type: z.literal('done'),
      finish_reason: z.string().nullable(),
      input_tokens: z.int().nullable(),
      output_tokens: z.int().nullable(),
      cost: money.nullable(),
      first_token_ms: z.int().nullable(),
      duration_ms: z.int(),
    }),
    z.object({
      type: z.literal('error'),
      message: z.string(),
      error_type: z.string(),
      trace_id: z.string().nullable(),
    }),
  ])
  .describe('First `started`, then text and tool calls, then `done` or `error`.');

/** The catalogue as an account sees it, and the playground. */
export const modelOperations = {
  'GET /accounts/{account_id}/models': operation({
    id: 'listModels',
    summary: 'Models and their prices',
    access: ANY,
    programs: true,
    path: accountPath,
    response: z.object({ data: z.array(model) }),
  }),
  'POST /accounts/{account_id}/playground': operation({
    id: 'playground',
    summary: 'Chat with a model at the expense of the account; responds with server-sent events',
    access: ['operator', 'owner', 'admin', 'developer'],
    path: accountPath,
    maxBodyBytes: 5_000_000,
    body: z.strictObject({
      model: z.string().min(1).max(200),
      system: z.string().max(200_000).optional(),
      messages: z
        .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().max(1_000_000) }))
        .min(1)
        .max(200),
      tools: z
        .array(z.record(z.string(), z.unknown()))
        .max(100)
        .optional()
        .describe('Tools in the form of the Chat Completions API.'),
      max_output_tokens: z.int().min(1).max(1_000_000).optional(),
      temperature: z.number().min(0).max(2).optional(),
    }),
    response: new StreamedResponse({ 'text/event-stream': playgroundEvent }),
  }),
};
