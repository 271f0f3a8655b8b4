import { chatScenes } from './chat.ts';
import { messagesError, messagesScenes, notMessages } from './messages.ts';
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
 * Recorded answers in fixtures of `@ai-sdk/alibaba`: text, calls, reasoning, usage. Its provider and pydantic-ai's:
 * fields. Not checked: streams, calls and errors of messages, cached tokens that are not zero, whether
 * `max_completion_tokens` is taken, and the bodies of the other errors. Later pieces of a call have an empty id, and
 * choices come in any order of their fields.
 */

const ID = { created: 1_770_764_902, system_fingerprint: null, model: 'qwen3-max', id: 'chatcmpl-296c9a8c-0000-9b34' };
const call = (spelled: string) => ({ name: CALL.name, arguments: spelled });
const id = 'call_eee11723464a4b9e00000000';
const usage = (prompt: number, cached: number, completion: number, reasoning?: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  prompt_tokens_details: { cached_tokens: cached },
});
const piece = (spelled: string) => ({
  tool_calls: [{ index: 0, id: '', type: 'function', function: { arguments: spelled } }],
});

const scenes = chatScenes({
  whole: { object: 'chat.completion', ...ID },
  chunk: { object: 'chat.completion.chunk', usage: null, ...ID },
  choice: { logprobs: null },
  message: { content: '' },
  opening: { content: '', role: 'assistant' },
  closing: { content: '' },
  usageAt: 'own chunk',
  thought: (text) => ({ content: null, reasoning_content: text }),
  calls: {
    whole: [{ function: call(ARGUMENTS), id, index: 0, type: 'function' }],
    stream: [
      { content: null, tool_calls: [{ index: 0, id, type: 'function', function: call('') }] },
      piece('{"city":"U'),
      piece('lm"}'),
      piece(''),
    ],
  },
  counts: {
    text: [usage(300, 256, 8), { input: 44, cache_read: 256, output: 8 }],
    tools: [usage(295, 0, 22), { input: 295, output: 22 }],
    reasoning: [usage(310, 0, 90, 60), { input: 310, output: 30, reasoning: 60 }],
    after: [usage(340, 256, 6), { input: 84, cache_read: 256, output: 6 }],
  },
  returned: { returned: { reasoning_content: THOUGHT }, notReturned: ['reasoning', 'reasoning_details'] },
});

const error = (code: string, message: string, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
  id: 'chatcmpl-0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d',
  request_id: '0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d',
});

/** Messages of Qwen have an empty signature. */
const tokens = (input: number, cached: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
});
const inMessages = (input: number, cached: number, output: number) => ({
  whole: tokens(input, cached, output),
  start: tokens(input, cached, 0),
  end: tokens(input, cached, output),
  meant: { input, output, ...(cached > 0 && { cache_read: cached }) },
});

const messages = messagesScenes({
  head: { id: 'msg_0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d', model: 'qwen3.7-plus' },
  callId: 'call_0a1b2c3d4e5f6a7b8c9d0e1f',
  thinks: true,
  signature: { value: '', at: 'both' },
  counts: {
    text: inMessages(20, 256, 9),
    tools: inMessages(180, 0, 21),
    reasoning: inMessages(190, 0, 70),
    after: inMessages(30, 256, 6),
  },
});

export const qwen: RecordedProvider = {
  id: 'qwen',
  name: 'Qwen (Alibaba)',
  model: 'qwen3.8-max',
  endpoints: [
    {
      entry: 'qwen',
      rejects: (request) => unsupportedIn(request, ['max_completion_tokens', 'reasoning_effort']),
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error(
            'invalid_parameter_error',
            '<400> InternalError.Algo.InvalidParameter: temperature should be in [0.0, 2.0)',
          ),
        ),
        errorOf(
          'wrong key',
          401,
          OUR_FAULT,
          error(
            'invalid_api_key',
            'Incorrect API key provided. For details, see: https://www.alibabacloud.com/help/en/model-studio/error-code#apikey-error',
          ),
        ),
        errorOf(
          'unknown model',
          404,
          NO_MODEL,
          error('model_not_found', 'The model `qwen0-max` does not exist or you do not have access to it.'),
        ),
        errorOf(
          'unpaid',
          400,
          OUR_FAULT,
          error('Arrearage', 'Access denied, please make sure your account is in good standing.', 'Arrearage'),
        ),
        errorOf(
          'rate limit',
          429,
          LIMITED,
          error('limit_requests', 'You exceeded your current requests list.', 'limit_requests'),
        ),
        errorOf(
          'tokens of a minute',
          429,
          LIMITED,
          error(
            'insufficient_quota',
            'Allocated quota exceeded, please increase your quota limit.',
            'insufficient_quota',
          ),
        ),
        errorOf(
          'free tier',
          403,
          OUR_FAULT,
          error('AllocationQuota.FreeTierOnly', 'The free tier of the model has been exhausted.'),
        ),
        errorOf(
          'overloaded',
          503,
          OUR_FAULT,
          error(
            'ServiceUnavailable',
            '<503> InternalError.Algo: Too many requests in route. Please try again later.',
            'internal_error',
          ),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            'invalid_parameter_error',
            '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]',
          ),
        ),
      ],
    },
    {
      entry: 'qwen-messages',
      row: 'Qwen (Alibaba), messages',
      rejects: notMessages,
      scenes: messages,
      errors: [
        errorOf('wrong key', 401, OUR_FAULT, messagesError('authentication_error', 'Incorrect API key provided.')),
        errorOf(
          'rate limit',
          429,
          LIMITED,
          messagesError('rate_limit_error', 'Requests rate limit exceeded, please try again later.'),
        ),
        errorOf(
          'internal',
          500,
          OUR_FAULT,
          messagesError('api_error', 'An internal error has occured, please try again later.'),
        ),
      ],
    },
  ],
};
