import { chatScenes } from './chat.ts';
import {
  ARGUMENTS,
  CALL,
  errorOf,
  invalid,
  LIMITED,
  NO_MODEL,
  OUR_FAULT,
  type RecordedError,
  type RecordedProvider,
  THOUGHTS,
  TOO_LONG,
  unsupportedIn,
} from './recorded.ts';
import { responsesScenes } from './responses.ts';

/*
 * Recorded answers in fixtures of `@ai-sdk/openai`: a text of chat completions, whole and streamed, with its usage and
 * `obfuscation`; reasoning of responses with its summary and its encrypted form; the empty account. Not checked: the
 * bodies of an unknown model, an internal error and an overload. Chat completions show no reasoning; responses show a
 * summary and take it back encrypted.
 */

const MODEL = 'gpt-5.6-terra-2026-07-09';
const ID = { id: 'chatcmpl-DaBcDeFgHiJkLmNoPqRsTuVwXyZ01', created: 1_781_000_000, model: MODEL };
const HEAD = { service_tier: 'default', system_fingerprint: null };
const callId = 'call_AbCdEfGhIjKlMnOpQrStUvWx';
const call = { id: callId, type: 'function', function: { name: CALL.name, arguments: ARGUMENTS } };
const usage = (prompt: number, cached: number, completion: number, reasoning: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: reasoning,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
});

const chat = chatScenes({
  whole: { ...ID, object: 'chat.completion', ...HEAD },
  chunk: { ...ID, object: 'chat.completion.chunk', ...HEAD, usage: null, obfuscation: 'a1B2c3' },
  choice: { logprobs: null },
  message: { refusal: null, annotations: [] },
  opening: { role: 'assistant', content: '', refusal: null },
  closing: {},
  usageAt: 'own chunk',
  calls: {
    whole: [call],
    stream: [
      { tool_calls: [{ index: 0, ...call, function: { name: CALL.name, arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Ulm"}' } }] },
    ],
  },
  counts: {
    text: [usage(176, 128, 80, 64), { input: 48, cache_read: 128, output: 16, reasoning: 64 }],
    tools: [usage(140, 0, 90, 64), { input: 140, output: 26, reasoning: 64 }],
    after: [usage(180, 0, 12, 0), { input: 180, output: 12 }],
  },
});

const counted = (input: number, cached: number, output: number, reasoning: number) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});
const reasoningId = 'rs_0a1b2c3d4e5f';
const encrypted_content = 'gAAAAABo-encrypted-reasoning-of-the-provider';
const place = { item_id: reasoningId, output_index: 0, summary_index: 0 };

const responses = responsesScenes({
  head: {
    id: 'resp_0a1b2c3d4e5f',
    model: MODEL,
    background: false,
    billing: { payer: 'developer' },
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    prompt_cache_retention: null,
    reasoning: { effort: 'low', summary: 'detailed' },
    safety_identifier: null,
    service_tier: 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    user: null,
  },
  callId,
  delta: { obfuscation: 'a1B2c3' },
  reasoning: {
    item: (text) => ({
      id: reasoningId,
      type: 'reasoning',
      encrypted_content,
      summary: text === '' ? [] : [{ type: 'summary_text', text }],
    }),
    events: (text) => [
      { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
      ...THOUGHTS.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
      { type: 'response.reasoning_summary_text.done', ...place, text },
      { type: 'response.reasoning_summary_part.done', ...place, part: { type: 'summary_text', text } },
    ],
    returned: { type: 'reasoning', encrypted_content },
  },
  counts: {
    text: [counted(176, 128, 80, 64), { input: 48, cache_read: 128, output: 16, reasoning: 64 }],
    tools: [counted(140, 0, 90, 64), { input: 140, output: 26, reasoning: 64 }],
    reasoning: [counted(150, 0, 120, 96), { input: 150, output: 24, reasoning: 96 }],
    after: [counted(300, 0, 12, 0), { input: 300, output: 12 }],
  },
});

const error = (message: string, type: string, param: string | null, code: string | null) => ({
  error: { message, type, param, code },
});

const errors: RecordedError[] = [
  errorOf(
    'bad parameter',
    400,
    invalid('temperature'),
    error(
      "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -2 instead.",
      'invalid_request_error',
      'temperature',
      'decimal_below_min_value',
    ),
  ),
  errorOf(
    'wrong key',
    401,
    OUR_FAULT,
    error(
      'Incorrect API key provided: sk-proj-****abcd. You can find your API key at https://platform.openai.com/account/api-keys.',
      'invalid_request_error',
      null,
      'invalid_api_key',
    ),
  ),
  errorOf(
    'unknown model',
    404,
    NO_MODEL,
    error(
      'The model `gpt-0` does not exist or you do not have access to it.',
      'invalid_request_error',
      null,
      'model_not_found',
    ),
  ),
  errorOf(
    'no quota',
    429,
    OUR_FAULT,
    error(
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
      'insufficient_quota',
      null,
      'insufficient_quota',
    ),
  ),
  errorOf(
    'spending limit',
    429,
    OUR_FAULT,
    error('This project has reached its spend limit.', 'insufficient_quota', null, 'project_spend_limit_exceeded'),
  ),
  errorOf(
    'model of another project',
    403,
    OUR_FAULT,
    error(
      'Project `proj_0a1b2c3d` does not have access to model `gpt-0`',
      'invalid_request_error',
      null,
      'model_not_found',
    ),
  ),
  errorOf(
    'rate limit',
    429,
    LIMITED,
    error(
      'Rate limit reached for gpt-5.6-terra in organization org-0a1b2c3d on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s. Visit https://platform.openai.com/account/rate-limits to learn more.',
      'tokens',
      null,
      'rate_limit_exceeded',
    ),
    { 'retry-after-ms': '2000', 'retry-after': '2' },
  ),
  errorOf(
    'internal',
    500,
    OUR_FAULT,
    error('The server had an error while processing your request. Sorry about that!', 'server_error', null, null),
  ),
  errorOf(
    'overloaded',
    503,
    OUR_FAULT,
    error('That model is currently overloaded with other requests.', 'server_error', null, null),
  ),
];
const TOO_LONG_CHAT = error(
  "This model's maximum context length is 922000 tokens. However, your messages resulted in 930000 tokens. Please reduce the length of the messages.",
  'invalid_request_error',
  'messages',
  'context_length_exceeded',
);
const TOO_LONG_RESPONSES = error(
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  'invalid_request_error',
  'input',
  'context_length_exceeded',
);

export const openai: RecordedProvider = {
  id: 'openai',
  name: 'OpenAI',
  model: 'gpt-5.6-terra',
  endpoints: [
    {
      entry: 'openai-responses',
      rejects: (request) => unsupportedIn(request, ['stop', 'max_tokens', 'max_completion_tokens', 'messages']),
      scenes: responses,
      errors: [...errors, errorOf('prompt too long', 400, TOO_LONG, TOO_LONG_RESPONSES)],
    },
    {
      entry: 'openai',
      rejects: (request) => unsupportedIn(request, ['max_tokens', 'reasoning', 'thinking', 'input']),
      scenes: chat,
      errors: [...errors, errorOf('prompt too long', 400, TOO_LONG, TOO_LONG_CHAT)],
    },
  ],
};
