import { expect } from 'vitest';
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
} from './recorded.ts';

/*
 * Recorded answers in cassettes of pydantic-ai (`test_openrouter`): text, calls, usage with cost, the 429, comments and
 * errors of a stream. Not checked: the words of the 400, 401 and 503 in the test, and errors of messages. Streams begin
 * with comments; usage has the cost that OpenRouter bills, which is the operator's.
 */

const ID = { id: 'gen-1762179802-AbCdEfGhIjKlMnOpQrSt', created: 1_762_179_802, model: 'deepseek/deepseek-v3.2' };
const PROVIDER = { provider: 'DeepInfra' };
const COST = {
  cost: 0.00435825,
  is_byok: false,
  cost_details: {
    upstream_inference_cost: null,
    upstream_inference_prompt_cost: 0.00000425,
    upstream_inference_completions_cost: 0.004354,
  },
};
const call = {
  id: 'call_0a1b2c3d4e5f6a7b8c9d0e1f',
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};

const usage = (prompt: number, cached: number, completion: number, reasoning = 0) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...COST,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0, video_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: reasoning, image_tokens: 0 },
});

const scenes = chatScenes({
  whole: { ...ID, ...PROVIDER, object: 'chat.completion' },
  chunk: { ...ID, ...PROVIDER, object: 'chat.completion.chunk' },
  choice: { native_finish_reason: 'stop', logprobs: null },
  message: { content: '', refusal: null, reasoning: null },
  before: [': OPENROUTER PROCESSING', ': OPENROUTER PROCESSING'],
  opening: { role: 'assistant', content: '', reasoning: null, reasoning_details: [] },
  closing: { role: 'assistant', content: '' },
  usageAt: 'own chunk',
  text: (content) => ({ role: 'assistant', content }),
  thought: (text) => ({
    role: 'assistant',
    content: '',
    reasoning: text,
    reasoning_details: [{ type: 'reasoning.text', text, format: 'unknown', index: 0 }],
  }),
  calls: {
    whole: [{ ...call, index: 0 }],
    stream: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...call, index: 0, function: { ...call.function, arguments: '' } }],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, type: 'function', function: { arguments: ARGUMENTS } }],
      },
    ],
  },
  counts: {
    text: [usage(256, 192, 10), { input: 64, cache_read: 192, output: 10 }],
    tools: [usage(134, 0, 43), { input: 134, output: 43 }],
    reasoning: [usage(150, 0, 60, 40), { input: 150, output: 20, reasoning: 40 }],
    after: [usage(170, 128, 5), { input: 42, cache_read: 128, output: 5 }],
  },
  returned: {
    returned: { reasoning_details: [expect.objectContaining({ type: 'reasoning.text', text: THOUGHT })] },
    notReturned: ['reasoning_content'],
  },
});

/** Messages of Claude name the host, and count at the end, with the cost; the last event is that of chat completions. */
const tokens = (input: number, read: number, written: number, output: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
  output_tokens: output,
});
const inMessages = (input: number, read: number, written: number, output: number) => {
  const counted = { ...tokens(input, read, written, output), ...COST };
  return {
    whole: counted,
    start: { ...tokens(0, 0, 0, 1), cost: 0 },
    end: counted,
    meant: {
      input,
      output,
      ...(read > 0 && { cache_read: read }),
      ...(written > 0 && { cache_write_5m: written }),
    },
  };
};

const messages = messagesScenes({
  head: { id: ID.id, model: 'anthropic/claude-sonnet-5.5', provider: 'Anthropic' },
  callId: 'toolu_01AbCdEfGhIjKlMnOpQrStUv',
  thinks: true,
  signature: { value: 'EqQBCgIYAhIkMDAwMC1zaWduYXR1cmUtb2YtdGhlLWhvc3Q', at: 'both' },
  before: [': OPENROUTER PROCESSING'],
  end: ['[DONE]'],
  counts: {
    text: inMessages(12, 128, 64, 9),
    tools: inMessages(290, 0, 0, 54),
    reasoning: inMessages(300, 0, 0, 90),
    after: inMessages(20, 200, 0, 8),
  },
});

export const openrouter: RecordedProvider = {
  id: 'openrouter',
  name: 'OpenRouter',
  model: 'openrouter/anthropic/claude-sonnet-5.5',
  endpoints: [
    {
      entry: 'openrouter',
      scenes,
      errors: [
        {
          name: 'bad parameter',
          status: 400,
          body: {
            error: {
              message: 'Provider returned error',
              code: 400,
              metadata: {
                raw: '{"error":{"message":"temperature must be at most 2","type":"invalid_request_error","param":"temperature"}}',
                provider_name: 'DeepInfra',
              },
            },
            user_id: 'user_2abcDEF',
          },
          expected: { status: 400, type: 'invalid_request_error' },
        },
        {
          name: 'bad field',
          status: 400,
          body: { error: { message: 'Input required: specify "prompt" or "messages"', code: 400 } },
          expected: invalid('400'),
        },
        {
          name: 'wrong key',
          status: 401,
          body: { error: { message: 'User not found.', code: 401 } },
          expected: OUR_FAULT,
        },
        {
          name: 'no credits',
          status: 402,
          body: {
            error: {
              message:
                'This request requires more credits, or fewer max_tokens. You requested up to 8000 tokens, but can only afford 210. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account',
              code: 402,
              metadata: { provider_name: null },
            },
            user_id: 'user_2abcDEF',
          },
          expected: OUR_FAULT,
        },
        {
          name: 'limit of the key',
          status: 403,
          body: {
            error: {
              message: 'Key limit exceeded (monthly limit). Manage it using https://openrouter.ai/settings/keys',
              code: 403,
            },
            user_id: 'user_2abcDEF',
          },
          expected: OUR_FAULT,
        },
        {
          name: 'flagged prompt',
          status: 403,
          body: {
            error: {
              message: 'Your input was flagged',
              code: 403,
              metadata: {
                reasons: ['violence'],
                flagged_input: 'How do I',
                provider_name: 'OpenAI',
                model_slug: 'openai/gpt-0',
              },
            },
          },
          expected: invalid('flagged'),
        },
        {
          name: 'unknown model',
          status: 404,
          body: {
            error: { message: 'No endpoints found for deepseek/deepseek-v0.', code: 404 },
            user_id: 'user_2abcDEF',
          },
          expected: NO_MODEL,
        },
        {
          name: 'rate limit',
          status: 429,
          body: {
            error: {
              message: 'Provider returned error',
              code: 429,
              metadata: {
                raw: 'deepseek/deepseek-v3.2 is temporarily rate-limited upstream. Please retry shortly, or add your own key: https://openrouter.ai/settings/integrations',
                provider_name: 'DeepInfra',
              },
            },
            user_id: 'user_2abcDEF',
          },
          expected: LIMITED,
        },
        {
          name: 'no provider',
          status: 503,
          body: { error: { message: 'No instances available', code: 503 } },
          expected: OUR_FAULT,
        },
        {
          name: 'prompt too long',
          status: 400,
          body: {
            error: {
              message:
                "This endpoint's maximum context length is 163840 tokens. However, you requested about 170000 tokens (169000 of text input, 1000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.",
              code: 400,
              metadata: { provider_name: null },
            },
          },
          expected: TOO_LONG,
        },
      ],
    },
    {
      entry: 'openrouter-messages',
      row: 'OpenRouter, messages',
      rejects: notMessages,
      scenes: messages,
      errors: [
        errorOf('wrong key', 401, OUR_FAULT, messagesError('authentication_error', 'User not found.')),
        errorOf(
          'no credits',
          402,
          OUR_FAULT,
          messagesError(
            'billing_error',
            'This request requires more credits, or fewer max_tokens. You requested up to 8000 tokens, but can only afford 210. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account',
          ),
        ),
        errorOf(
          'unknown model',
          404,
          NO_MODEL,
          messagesError('not_found_error', 'No endpoints found for anthropic/claude-0.'),
        ),
        errorOf(
          'rate limit',
          429,
          LIMITED,
          messagesError('rate_limit_error', 'Rate limit exceeded: free-models-per-min. '),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          messagesError('invalid_request_error', 'prompt is too long: 1050000 tokens > 1000000 maximum'),
        ),
      ],
    },
  ],
};
