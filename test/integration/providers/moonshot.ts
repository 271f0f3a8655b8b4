import { chatScenes } from './chat.ts';
import { messagesScenes, notMessages } from './messages.ts';
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
 * Recorded streams in tests and notes of public projects: texts of kimi-k2-0905 (2025-11), kimi-k2.5 and kimi-k2.7-code
 * (2026-06 and -07), messages of kimi-k2.6 with thinking and a call (2026-04): the fingerprint, usage in the last
 * choice and its details, blocks and both usages of messages. Answers in fixtures of `@ai-sdk/moonshotai`, which that
 * project seems to have written itself: reasoning, cached tokens. Not checked: whole answers, calls of chat
 * completions, and the messages of an unknown model and of an empty account are how the provider was known to answer;
 * errors of messages are written like those of chat completions. Cached tokens are at the top of usage and in its
 * details; streams have usage in the last choice.
 */

const ID = { id: 'chatcmpl-6911668985355ab7ab43bc00', created: 1_785_880_001, model: 'kimi-k2.6' };
const call = {
  index: 0,
  id: 'get_weather:0',
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};
const usage = (prompt: number, cached: number | undefined, completion: number, reasoning?: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...(cached !== undefined && { cached_tokens: cached, prompt_tokens_details: { cached_tokens: cached } }),
  ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion' },
  chunk: { ...ID, object: 'chat.completion.chunk', system_fingerprint: 'fpv0_0a1b2c3d' },
  message: { content: '' },
  opening: { role: 'assistant', content: '' },
  closing: {},
  usageAt: 'last choice',
  thought: (reasoning_content) => ({ reasoning_content }),
  calls: {
    whole: [call],
    stream: [
      { tool_calls: [{ ...call, function: { name: CALL.name, arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ARGUMENTS } }] },
    ],
  },
  counts: {
    text: [usage(260, 256, 5), { input: 4, cache_read: 256, output: 5 }],
    tools: [usage(130, undefined, 12), { input: 130, output: 12 }],
    reasoning: [usage(140, 64, 40, 22), { input: 76, cache_read: 64, output: 18, reasoning: 22 }],
    after: [usage(190, 128, 6), { input: 62, cache_read: 128, output: 6 }],
  },
  returned: { returned: { reasoning_content: THOUGHT }, notReturned: ['reasoning', 'reasoning_details'] },
});

const error = (type: string, message: string) => ({ error: { message, type } });

/** A stream of messages counts all input as new at first, and says what was cached at the end, in the names of both protocols. */
const inMessages = (input: number, cached: number, output: number) => {
  const opened = { cache_creation_input_tokens: 0, output_tokens: 0 };
  const tier = { service_tier: 'standard', inference_geo: 'not_available' };
  const prompt_tokens = input + cached;
  const closed = {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    cached_tokens: cached,
  };
  return {
    whole: closed,
    start: {
      input_tokens: prompt_tokens,
      cache_read_input_tokens: 0,
      ...opened,
      ...tier,
      prompt_tokens,
      cached_tokens: 0,
    },
    end: closed,
    meant: { input, output, ...(cached > 0 && { cache_read: cached }) },
  };
};

const messages = messagesScenes({
  head: { id: 'chatcmpl-0a1b2c3d4e5f6a7b8c9d0e1f', model: 'kimi-k2.6' },
  callId: 'get_weather_0',
  thinks: true,
  signature: { value: '', at: 'start' },
  counts: {
    text: inMessages(4, 256, 9),
    tools: inMessages(150, 0, 25),
    reasoning: inMessages(136, 1_024, 53),
    after: inMessages(6, 192, 7),
  },
});

/** Messages have the same errors, with the type of the protocol around them. */
const inErrors = (type: string, message: string) => ({ ...error(type, message), type: 'error' });

export const moonshot: RecordedProvider = {
  id: 'moonshot',
  name: 'Moonshot',
  model: 'kimi-k2.7-code',
  endpoints: [
    {
      entry: 'moonshot',
      // Kimi K2 models have no effort: https://github.com/theopenco/llmgateway/pull/3065.
      rejects: (request) => unsupportedIn(request, ['reasoning_effort', 'logprobs', 'top_logprobs', 'logit_bias']),
      scenes,
      unusualUsage: true,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('invalid_request_error', 'invalid temperature: only 1 is allowed for this model'),
        ),
        errorOf('wrong key', 401, OUR_FAULT, error('invalid_authentication_error', 'Invalid Authentication')),
        errorOf(
          'unknown model',
          404,
          NO_MODEL,
          error('resource_not_found_error', 'Not found the model kimi-k0 or Permission denied'),
        ),
        errorOf(
          'no balance',
          429,
          OUR_FAULT,
          error(
            'exceeded_current_quota_error',
            'Your account org-0a1b2c <ak-0a1b2c> is suspended due to insufficient balance, please recharge your account or check your plan and billing details',
          ),
        ),
        errorOf(
          'rate limit',
          429,
          LIMITED,
          error(
            'rate_limit_reached_error',
            'Your account org-0a1b2c <ak-0a1b2c> request reached organization max RPM: 3, please try again after 1 seconds',
          ),
        ),
        errorOf(
          'overloaded',
          429,
          LIMITED,
          error('engine_overloaded_error', 'The engine is currently overloaded, please try again later'),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            'invalid_request_error',
            'Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)',
          ),
        ),
      ],
    },
    {
      entry: 'moonshot-messages',
      row: 'Moonshot, messages',
      rejects: notMessages,
      scenes: messages,
      unusualUsage: true,
      errors: [
        errorOf('wrong key', 401, OUR_FAULT, inErrors('invalid_authentication_error', 'Invalid Authentication')),
        errorOf(
          'unknown model',
          404,
          NO_MODEL,
          inErrors('resource_not_found_error', 'Not found the model kimi-k0 or Permission denied'),
        ),
        errorOf(
          'overloaded',
          429,
          LIMITED,
          inErrors('engine_overloaded_error', 'The engine is currently overloaded, please try again later'),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          inErrors(
            'invalid_request_error',
            'Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)',
          ),
        ),
      ],
    },
  ],
};
