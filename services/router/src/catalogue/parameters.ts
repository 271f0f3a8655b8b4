import { z } from 'zod';

export const SAMPLING = ['any', 'one_of_temperature_top_p', 'without_reasoning', 'default_only'] as const;
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const THINKING_CONTROLS = ['budget', 'effort', 'any'] as const;
export const OUTPUT_LIMITS = ['max_completion_tokens', 'max_tokens'] as const;
export const REASONING_HISTORIES = [
  'none',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking_parts',
] as const;
export const REASONING_SWITCHES = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'chat_template_kwargs',
] as const;
export const TOOL_CALL_ID_FORMS = ['any', 'nine_alphanumeric'] as const;
export const BETA_POLICIES = ['strict', 'forward'] as const;

const MAX_BETAS = 100;
const MAX_FIELDS_PER_BETA = 20;
const MAX_UNSUPPORTED = 100;
const MAX_ADDED_BYTES = 4_096;

const thinking = z
  .strictObject({
    control: z
      .enum(THINKING_CONTROLS)
      .describe('How a request sets the amount: a budget of tokens, an effort (Claude: adaptive thinking), or either'),
    min_budget_tokens: z.int().min(0).max(10_000_000).optional(),
    max_budget_tokens: z.int().min(1).max(10_000_000).optional(),
    can_disable: z.boolean().default(true).describe('Whether a request can switch thinking off'),
    between_tools: z
      .boolean()
      .default(false)
      .describe('For the messages protocol: whether the model accepts the type between_tools instead of disabled'),
  })
  .refine(
    ({ min_budget_tokens: min, max_budget_tokens: max }) => min === undefined || max === undefined || min <= max,
    'must not have a min_budget_tokens above max_budget_tokens',
  )
  .refine(
    ({ can_disable: canDisable, between_tools: betweenTools }) => !(canDisable && betweenTools),
    'must have can_disable: false with between_tools',
  );

/** A member of the body, of one of its members, or of the elements of a list. */
const fieldPath = z
  .string()
  .max(200)
  .regex(
    /^[a-z_]+(?:\[\])?(?:\.[a-z_]+(?:\[\])?){0,3}$/,
    'must be a field such as context_management, output_config.task_budget or tools[].input_examples',
  );

/** Fields that the gateway itself sets or that a price depends on. */
const NOT_ADDED: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'n',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
]);

const addedFields = z
  .record(z.string().min(1).max(100), z.json())
  .refine((fields) => JSON.stringify(fields).length <= MAX_ADDED_BYTES, `must be at most ${MAX_ADDED_BYTES} bytes`)
  .refine(
    (fields) => !Object.keys(fields).some((name) => NOT_ADDED.has(name)),
    `must have none of ${[...NOT_ADDED].join(', ')}`,
  );

/**
 * What a model accepts in requests. A field that is absent everywhere is not known: a request of the provider's own protocol
 * passes unchanged, and a translated one gets what most providers of the protocol accept.
 */
export const parametersSchema = z.strictObject({
  sampling: z
    .enum(SAMPLING)
    .optional()
    .describe(
      'temperature, top_p, top_k and penalties: any; not temperature and top_p together; only with the effort none; or only ' +
        'the defaults',
    ),
  max_temperature: z.number().min(0).max(100).optional(),
  efforts: z
    .array(z.enum(EFFORTS))
    .optional()
    .describe('Reasoning efforts that the model accepts; empty for a model that accepts none'),
  thinking: thinking.optional().describe('For the messages and Gemini protocols: how a request sets how much to think'),
  min_output_tokens: z.int().min(1).max(1_000_000).optional().describe('Smallest output limit'),
  max_user_id_length: z.int().min(8).max(10_000).optional().describe('Characters of the end user’s id'),
  whitespace_stops: z.boolean().optional().describe('Whether stop sequences may be only white space'),
  json_schema: z.boolean().optional().describe('Whether the provider can hold the output to a JSON schema'),
  reasoning_content: z.boolean().optional().describe('Older form of reasoning_history: reasoning_content, or none'),
  extra_content: z
    .boolean()
    .optional()
    .describe('For chat completions: whether earlier tool calls may have extra_content'),
  signed_calls: z
    .boolean()
    .optional()
    .describe('For Gemini: whether a tool call without a thought signature is rejected'),
  media_in_results: z.boolean().optional().describe('For Gemini: whether the results of tools may contain images'),
  forced_calls: z
    .boolean()
    .optional()
    .describe('For the messages protocol and chat completions: whether a request can force the model to call a tool'),
  named_calls: z
    .boolean()
    .optional()
    .describe('For chat completions: whether a request can name the tool that the model must call'),
  unsigned_thinking: z
    .boolean()
    .optional()
    .describe('For the messages and responses protocols: whether earlier thinking needs no signature'),
  prefill: z
    .boolean()
    .optional()
    .describe('Whether the model goes on with a last turn of the assistant; false asks it to in a turn of the user'),
  tool_search: z
    .boolean()
    .optional()
    .describe('For the messages and responses protocols: whether the provider can search among deferred tools'),
  output_limit: z.enum(OUTPUT_LIMITS).optional().describe('For chat completions: the name of the output limit'),
  developer_role: z
    .boolean()
    .optional()
    .describe('For chat completions: whether instructions may have the role developer; false sends them as system'),
  late_system_messages: z
    .boolean()
    .optional()
    .describe('For chat completions: whether system messages may be several, and later than the first message'),
  repeated_roles: z
    .boolean()
    .optional()
    .describe('For chat completions: whether two user messages, or two assistant messages, may follow each other'),
  content_parts: z
    .boolean()
    .optional()
    .describe('For chat completions: whether texts may be lists of parts; false sends strings'),
  null_content: z
    .boolean()
    .optional()
    .describe(
      'Whether content may be null: in chat completions that of a message with tool calls, for which false sends "", and in ' +
        'responses that of earlier reasoning, which false leaves out',
    ),
  reasoning_history: z
    .enum(REASONING_HISTORIES)
    .optional()
    .describe(
      'For chat completions: the field of earlier assistant messages in which the provider takes reasoning back',
    ),
  reasoning_required: z
    .boolean()
    .optional()
    .describe(
      'For chat completions: whether earlier assistant messages must have reasoning_content; sent empty without',
    ),
  reasoning_switch: z
    .enum(REASONING_SWITCHES)
    .optional()
    .describe('For chat completions: the field that sets how much to think, or whether'),
  tool_call_ids: z
    .enum(TOOL_CALL_ID_FORMS)
    .optional()
    .describe('For chat completions: the form of tool call ids that the provider accepts'),
  free_arguments: z
    .boolean()
    .optional()
    .describe('For chat completions: whether arguments of earlier calls may be any text; false sends a JSON object'),
  unsupported: z
    .array(fieldPath)
    .max(MAX_UNSUPPORTED)
    .optional()
    .describe(
      'For chat completions and responses: fields that the provider does not take. They are left out with a warning; a ' +
        'request in which one would change the response, such as n, is refused. The lists of dialect, provider, model and ' +
        'deployment add up',
    ),
  supported: z
    .array(fieldPath)
    .max(MAX_UNSUPPORTED)
    .optional()
    .describe('Fields that it takes although the dialect, or an entry above, lists them as unsupported'),
  added_fields: addedFields
    .optional()
    .describe('For chat completions: fields that requests get where the client does not set them'),
});

const betaName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'must be letters, digits, - and _');

/** Betas of the messages protocol that a provider accepts. */
export const betasSchema = z.strictObject({
  policy: z
    .enum(BETA_POLICIES)
    .default('strict')
    .describe('Unlisted betas: strict leaves them out with their fields, forward sends those that cannot cost more'),
  list: z
    .array(
      z.strictObject({
        name: betaName.describe('With or without its date'),
        fields: z.array(fieldPath).max(MAX_FIELDS_PER_BETA).default([]).describe('Fields of the body that it enables'),
        accepted: z.boolean().default(true).describe('False: left out, together with its fields'),
      }),
    )
    .max(MAX_BETAS)
    .default([]),
});

export type ParametersEntry = z.output<typeof parametersSchema>;
export type BetasEntry = z.output<typeof betasSchema>;

/**
 * The parameters of a deployment: its own, then its model's, then its provider's, then the dialect's. Lists of unsupported
 * fields add up.
 */
export function mergeParameters(...entries: readonly (ParametersEntry | undefined)[]): ParametersEntry {
  const merged: Record<string, unknown> = {};
  for (const entry of entries) {
    for (const [key, value] of Object.entries(currentForm(entry))) if (value !== undefined) merged[key] ??= value;
  }
  const unsupported = mergeUnsupported(entries);
  return { ...merged, unsupported: unsupported.length === 0 ? undefined : unsupported, supported: undefined };
}

function currentForm({ reasoning_content: older, ...entry }: ParametersEntry = {}): ParametersEntry {
  if (older === undefined || entry.reasoning_history !== undefined) return entry;
  return { ...entry, reasoning_history: older ? 'reasoning_content' : 'none' };
}

/** @param entries the most specific first */
function mergeUnsupported(entries: readonly (ParametersEntry | undefined)[]): string[] {
  const fields = new Set<string>();
  for (const entry of entries.toReversed()) {
    for (const field of entry?.supported ?? []) fields.delete(field);
    for (const field of entry?.unsupported ?? []) fields.add(field);
  }
  return [...fields];
}
