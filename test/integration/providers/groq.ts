import { at } from '@tollgate/test-support/gateway/json';
import { chatScenes } from './chat.ts';
import { ARGUMENTS, CALL, invalid, LIMITED, NO_MODEL, OUR_FAULT, type RecordedProvider, TOO_LONG } from './recorded.ts';

/*
 * Recorded answers in fixtures of `@ai-sdk/groq` and cassettes of pydantic-ai (`test_groq`): text, calls, reasoning,
 * usage, the 404, a 400. Not checked: cached tokens that are not zero, and the bodies of the errors with 401, 498 and
 * 503 and of a prompt that is too long. The last chunk has `x_groq.usage`, and since 2026 the same as `usage`.
 */

const ID = {
  id: 'chatcmpl-5c1f0a52-0d0b-4f5e-9a43-1f0c7a2b6e11',
  created: 1_771_434_700,
  model: 'openai/gpt-oss-120b',
};
const FINGERPRINT = { system_fingerprint: 'fp_1f0c7a2b6e' };
const REQUEST = 'req_01kzzzzzzzzzzzzzzzzzzzzzzz';
const TIMES = { queue_time: 0.0051, prompt_time: 0.0144, completion_time: 0.1103, total_time: 0.1247 };
const call = {
  id: 'fc_2b6e1f0c-7a2b-4d5e-8f90-aa11bb22cc33',
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};

const scenes = chatScenes({
  whole: {
    ...ID,
    object: 'chat.completion',
    usage_breakdown: null,
    ...FINGERPRINT,
    x_groq: { id: REQUEST, seed: 4_711 },
    service_tier: 'on_demand',
  },
  chunk: { ...ID, object: 'chat.completion.chunk', ...FINGERPRINT },
  choice: { logprobs: null },
  opening: { role: 'assistant', content: '' },
  closing: {},
  usageAt: (usage, isLast) => (isLast ? { x_groq: { id: REQUEST, usage }, usage } : {}),
  thought: (reasoning) => ({ reasoning }),
  calls: { whole: [call], stream: [{ tool_calls: [{ ...call, index: 0 }] }] },
  counts: {
    text: [
      {
        ...TIMES,
        prompt_tokens: 336,
        completion_tokens: 9,
        total_tokens: 345,
        prompt_tokens_details: { cached_tokens: 256 },
      },
      { input: 80, cache_read: 256, output: 9 },
    ],
    tools: [
      { ...TIMES, prompt_tokens: 218, completion_tokens: 15, total_tokens: 233 },
      { input: 218, output: 15 },
    ],
    reasoning: [
      {
        ...TIMES,
        prompt_tokens: 301,
        completion_tokens: 52,
        total_tokens: 353,
        completion_tokens_details: { reasoning_tokens: 22 },
      },
      { input: 301, output: 30, reasoning: 22 },
    ],
    after: [
      { ...TIMES, prompt_tokens: 340, completion_tokens: 4, total_tokens: 344 },
      { input: 340, output: 4 },
    ],
  },
});

export const groq: RecordedProvider = {
  id: 'groq',
  name: 'Groq',
  model: 'groq/openai/gpt-oss-120b',
  endpoints: [
    {
      entry: 'groq',
      // https://console.groq.com/docs/openai, "Currently Unsupported OpenAI Features".
      rejects: (request) =>
        ['logprobs', 'logit_bias', 'top_logprobs'].find((field) => at(request, field) !== undefined) ??
        (Number(at(request, 'n') ?? 1) > 1 ? 'n' : undefined),
      scenes,
      errors: [
        {
          name: 'bad parameter',
          status: 400,
          body: {
            error: {
              message: "'temperature' : number must be at most 2",
              type: 'invalid_request_error',
              param: 'temperature',
            },
          },
          expected: invalid('temperature'),
        },
        {
          name: 'wrong key',
          status: 401,
          body: { error: { message: 'Invalid API Key', type: 'invalid_request_error', code: 'invalid_api_key' } },
          expected: OUR_FAULT,
        },
        {
          name: 'unknown model',
          status: 404,
          body: {
            error: {
              message: 'The model `openai/gpt-oss-1` does not exist or you do not have access to it.',
              type: 'invalid_request_error',
              code: 'model_not_found',
            },
          },
          expected: NO_MODEL,
        },
        {
          name: 'rate limit',
          status: 429,
          headers: { 'retry-after': '7', 'x-ratelimit-remaining-tokens': '0' },
          body: {
            error: {
              message:
                'Rate limit reached for model `openai/gpt-oss-120b` in organization `org_01abc` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Used 7900, Requested 400. Please try again in 7s.',
              type: 'tokens',
              code: 'rate_limit_exceeded',
            },
          },
          expected: LIMITED,
        },
        {
          name: 'spending limit',
          status: 400,
          body: {
            error: {
              message: 'API access is blocked, since a spend limit of the organization was reached.',
              type: 'invalid_request_error',
              code: 'blocked_api_access',
            },
          },
          expected: OUR_FAULT,
        },
        {
          name: 'flex capacity',
          status: 498,
          body: {
            error: { message: 'Flex tier capacity exceeded', type: 'capacity_exceeded', code: 'capacity_exceeded' },
          },
          expected: OUR_FAULT,
        },
        {
          name: 'overloaded',
          status: 503,
          body: { error: { message: 'Service Unavailable', type: 'internal_server_error' } },
          expected: OUR_FAULT,
        },
        {
          name: 'prompt too long',
          status: 400,
          body: {
            error: {
              message: 'Please reduce the length of the messages or completion.',
              type: 'invalid_request_error',
              param: 'messages',
              code: 'context_length_exceeded',
            },
          },
          expected: TOO_LONG,
        },
      ],
    },
  ],
};
