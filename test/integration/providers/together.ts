import { at } from '@tollgate/test-support/gateway/json';
import { chatScenes } from './chat.ts';
import {
  ARGUMENTS,
  CALL,
  errorOf,
  invalid,
  LIMITED,
  NO_MODEL,
  OUR_FAULT,
  type RecordedProvider,
  THOUGHT,
  TOO_LONG,
  unsupportedIn,
} from './recorded.ts';

/*
 * Recorded answers: a text in a cassette of Mirascope (`test_together_provider`, 2025-12); texts, a forced call and a
 * stream in cassettes of pydantic-ai (`test_huggingface`), through Hugging Face's router: `seed`, `prompt`, the text
 * beside each delta, `cached_tokens`, usage beside the finish reason. Not checked: streamed calls, reasoning, cached
 * tokens that are not zero, whether `max_completion_tokens` is taken, and the bodies of the other errors are how the
 * provider was known to answer. Choices have `seed`, those of a stream the text again, deltas have no calls, and usage
 * counts cached tokens at its top.
 */

const ID = { id: 'nz0a1b2-4yUhkp-9900112233445566', created: 1_781_000_000, model: 'openai/gpt-oss-120b' };
const call = {
  id: 'call_0a1b2c3d4e5f6a7b8c9d0e1f',
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};
const usage = (prompt: number, cached: number, completion: number, reasoning?: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  cached_tokens: cached,
  ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion', prompt: [] },
  chunk: { ...ID, object: 'chat.completion.chunk', usage: null },
  choice: { seed: 9_911, logprobs: null },
  streamedChoice: (delta) => ({ text: at(delta, 'content') ?? '', seed: null }),
  message: { content: null, tool_calls: [] },
  opening: { token_id: 128_798, role: 'assistant', content: '' },
  closing: { token_id: 200_002, role: 'assistant', content: '' },
  usageAt: 'last chunk',
  text: (content) => ({ token_id: 4_711, role: 'assistant', content }),
  thought: (reasoning) => ({ role: 'assistant', content: '', reasoning }),
  calls: {
    whole: [{ ...call, index: 0 }],
    stream: [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ ...call, index: 0, function: { name: CALL.name, arguments: '' } }],
      },
      { role: 'assistant', content: '', tool_calls: [{ index: 0, function: { arguments: ARGUMENTS } }] },
    ],
  },
  counts: {
    text: [usage(150, 128, 8), { input: 22, cache_read: 128, output: 8 }],
    tools: [usage(140, 0, 25), { input: 140, output: 25 }],
    reasoning: [usage(160, 0, 55, 30), { input: 160, output: 25, reasoning: 30 }],
    after: [usage(200, 128, 6), { input: 72, cache_read: 128, output: 6 }],
  },
  returned: { returned: { reasoning: THOUGHT }, notReturned: ['reasoning_content', 'reasoning_details'] },
});

const error = (message: string, type: string, param: string | null = null, code: string | null = null) => ({
  id: 'nz0a1b2-4yUhkp-9900112233445566',
  error: { message, type, param, code },
});

export const together: RecordedProvider = {
  id: 'together',
  name: 'Together',
  model: 'together/openai/gpt-oss-120b',
  endpoints: [
    {
      entry: 'together',
      rejects: (request) => unsupportedIn(request, ['max_completion_tokens']),
      scenes,
      unusualUsage: true,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('Input validation error: `temperature` must be less than 2', 'invalid_request_error', 'temperature'),
        ),
        errorOf(
          'wrong key',
          401,
          OUR_FAULT,
          error(
            'Invalid API key provided. You can find your API key at https://api.together.xyz/settings/api-keys.',
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
            'Unable to access model openai/gpt-oss-0b. Please visit https://api.together.xyz to see the list of supported models or contact the owner to request access.',
            'invalid_request_error',
            null,
            'model_not_found',
          ),
        ),
        errorOf(
          'no credit',
          402,
          OUR_FAULT,
          error(
            'Credit limit exceeded, please navigate to https://api.together.ai/settings/billing to add credit',
            'credit_limit',
            null,
            'Payment Required',
          ),
        ),
        errorOf(
          'rate limit',
          429,
          LIMITED,
          error('You have reached the rate limit specific to this model openai/gpt-oss-120b.', 'model_rate_limit'),
        ),
        errorOf(
          'overloaded',
          503,
          OUR_FAULT,
          error('The server is overloaded or not ready yet.', 'service_unavailable', null, 'service_unavailable'),
        ),
        errorOf(
          'output limit too large',
          403,
          TOO_LONG,
          error(
            'Input token count + max_tokens parameter must be less than the context length of the model being queried.',
            'invalid_request_error',
          ),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 131072. Given: 140000 `inputs` tokens and 1000 `max_new_tokens`',
            'invalid_request_error',
            'max_tokens',
          ),
        ),
      ],
    },
  ],
};
