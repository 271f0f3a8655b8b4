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
} from './recorded.ts';

/*
 * Recorded answers: gpt-oss-20b in a fixture of agentjido/req_llm (2026-05), gpt-oss-120b in notes of a public project
 * (2026-07): text, reasoning, usage, what a message leaves out. Not checked: calls, the other fields of streams, cached
 * tokens that are not zero, and the bodies of the other errors are how the provider was known to answer. Messages leave
 * out what they do not have; streams have usage in a chunk of its own.
 */

const ID = {
  id: 'chatcmpl-0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d',
  created: 1_781_000_000,
  model: 'accounts/fireworks/models/deepseek-v4-pro',
};
const call = {
  id: 'call_AbCdEfGhIjKlMnOpQrStUvWx',
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};
const usage = (prompt: number, cached: number, completion: number) => ({
  prompt_tokens: prompt,
  total_tokens: prompt + completion,
  completion_tokens: completion,
  prompt_tokens_details: { cached_tokens: cached },
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion' },
  chunk: { ...ID, object: 'chat.completion.chunk', usage: null },
  message: { content: undefined },
  opening: { role: 'assistant' },
  closing: {},
  usageAt: 'own chunk',
  thought: (reasoning_content) => ({ reasoning_content }),
  calls: {
    whole: [{ ...call, index: 0 }],
    stream: [
      { tool_calls: [{ ...call, index: 0, function: { name: CALL.name } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Ulm"}' } }] },
    ],
  },
  counts: {
    text: [usage(170, 160, 9), { input: 10, cache_read: 160, output: 9 }],
    tools: [usage(150, 0, 24), { input: 150, output: 24 }],
    reasoning: [usage(155, 0, 60), { input: 155, output: 60 }],
    after: [usage(210, 144, 6), { input: 66, cache_read: 144, output: 6 }],
  },
  returned: { returned: { reasoning_content: THOUGHT }, notReturned: ['reasoning', 'reasoning_details'] },
});

const error = (code: string, message: string) => ({
  error: { object: 'error', type: 'invalid_request_error', code, message },
});
/** What concerns the model or the account has another shape. */
const refusal = (code: string, message: string, param: string | null) => ({
  error: { message, param, code, type: 'error' },
  request_id: '0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d',
});

export const fireworks: RecordedProvider = {
  id: 'fireworks',
  name: 'Fireworks',
  model: 'fireworks/kimi-k3',
  endpoints: [
    {
      entry: 'fireworks',
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('invalid_request_error', "Input should be less than or equal to 2, field: 'temperature', value: 3"),
        ),
        errorOf('wrong key', 401, OUR_FAULT, error('UNAUTHORIZED', 'The API key you provided is invalid.')),
        errorOf(
          'unknown model',
          404,
          NO_MODEL,
          refusal('NOT_FOUND', 'Model not found, inaccessible, and/or not deployed', 'model'),
        ),
        errorOf(
          'suspended',
          412,
          OUR_FAULT,
          refusal(
            'PRECONDITION_FAILED',
            'Account acme-0a1b2c is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. Please go to https://fireworks.ai/account/billing for more information.',
            null,
          ),
        ),
        errorOf('rate limit', 429, LIMITED, error('RATE_LIMITED', 'Rate limit exceeded, please try again later')),
        errorOf('overloaded', 503, OUR_FAULT, error('SERVICE_UNAVAILABLE', 'The service is overloaded')),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error('invalid_request_error', 'The prompt is too long: 1200000, model maximum context length: 1048575'),
        ),
      ],
    },
  ],
};
