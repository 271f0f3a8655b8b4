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
 * Recorded whole answers in cassettes of pydantic-ai (`test_cerebras`): text, reasoning and where it goes back, usage.
 * Not checked: the other errors in the test, whole calls in streams, and whether `prompt_cache_key` and `prediction`
 * are taken, which the AI SDK's provider offers and the dialect leaves out. Errors have no `error` around them, as
 * several projects have seen, and usage comes in the last chunk beside times.
 */

const ID = { id: 'chatcmpl-82d1c33a-0000-4a2e-a4e4-210e901e89f9', created: 1_781_021_261, model: 'gpt-oss-120b' };
const FINGERPRINT = { system_fingerprint: 'fp_46358675aa6b00000000' };
const TIMES = {
  time_info: {
    queue_time: 0.0088,
    prompt_time: 0.0028,
    completion_time: 0.0177,
    total_time: 0.0315,
    created: 1_781_021_261.1,
  },
};
const call = { id: '3e5f1a2b7', type: 'function', function: { name: CALL.name, arguments: ARGUMENTS } };
const usage = (prompt: number, cached: number, completion: number, reasoning: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: {
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
    reasoning_tokens: reasoning,
  },
});

const scenes = chatScenes({
  whole: { ...ID, ...FINGERPRINT, object: 'chat.completion', ...TIMES },
  chunk: { ...ID, ...FINGERPRINT, object: 'chat.completion.chunk' },
  opening: { role: 'assistant' },
  closing: {},
  usageAt: (counted, isLast) => (isLast ? { usage: counted, ...TIMES } : {}),
  thought: (reasoning) => ({ reasoning }),
  calls: { whole: [call], stream: [{ tool_calls: [{ ...call, index: 0 }] }] },
  counts: {
    text: [usage(179, 128, 12, 0), { input: 51, cache_read: 128, output: 12 }],
    tools: [usage(160, 0, 30, 0), { input: 160, output: 30 }],
    reasoning: [usage(190, 128, 47, 27), { input: 62, cache_read: 128, output: 20, reasoning: 27 }],
    after: [usage(220, 128, 6, 0), { input: 92, cache_read: 128, output: 6 }],
  },
  returned: { returned: { reasoning: THOUGHT }, notReturned: ['reasoning_content', 'reasoning_details'] },
});

const error = (message: string, type: string, param: string, code: string) => ({ message, type, param, code });

export const cerebras: RecordedProvider = {
  id: 'cerebras',
  name: 'Cerebras',
  model: 'cerebras/gpt-oss-120b',
  endpoints: [
    {
      entry: 'cerebras',
      // Never applied, and a 400 with more than 100 tokens: https://github.com/pydantic/pydantic-ai/pull/7653.
      rejects: (request) => unsupportedIn(request, ['logit_bias']),
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error(
            'body.temperature: Input should be less than or equal to 1.5',
            'invalid_request_error',
            'temperature',
            'wrong_api_format',
          ),
        ),
        errorOf(
          'wrong key',
          401,
          OUR_FAULT,
          error('Wrong API Key', 'invalid_request_error', 'api_key', 'wrong_api_key'),
        ),
        errorOf(
          'unknown model',
          404,
          NO_MODEL,
          error(
            'Model gpt-oss-1b does not exist or you do not have access to it.',
            'not_found_error',
            'model',
            'model_not_found',
          ),
        ),
        errorOf('unpaid', 402, OUR_FAULT, error('Payment required', 'payment_required_error', '', 'payment_required')),
        errorOf(
          'rate limit',
          429,
          LIMITED,
          error(
            'Tokens per minute limit exceeded - too many tokens processed.',
            'too_many_tokens_error',
            'quota',
            'token_quota_exceeded',
          ),
          { 'retry-after': '30' },
        ),
        errorOf(
          'busy',
          429,
          LIMITED,
          error(
            "We're experiencing high traffic right now! Please try again soon.",
            'too_many_requests_error',
            'queue',
            'queue_exceeded',
          ),
        ),
        errorOf(
          'overloaded',
          503,
          OUR_FAULT,
          error('Service temporarily unavailable', 'api_error', '', 'service_unavailable'),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            'Please reduce the length of the messages or completion. Current length is 140000 while limit is 131072',
            'invalid_request_error',
            'messages',
            'context_length_exceeded',
          ),
        ),
      ],
    },
  ],
};
