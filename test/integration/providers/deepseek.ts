import { at, listAt } from '@tollgate/test-support/gateway/json';
import { chatScenes } from './chat.ts';
import { messagesError, messagesScenes, notMessages } from './messages.ts';
import {
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
 * Recorded answers in fixtures of `@ai-sdk/deepseek`: text, calls, reasoning, cached tokens. Messages: a whole answer
 * and a stream of a text, recorded in tests of a public proxy, and QuantumNous/new-api issue 4763 (thinking without a
 * signature), read on 2026-11-26. Not checked: calls and errors of messages, the bodies of the other errors, and that
 * an unknown model of chat completions is a 400. Deltas have null for the field that they do not fill, and usage counts
 * hits and misses of the cache at the top and as OpenAI does.
 */

const ID = { id: '7f0c3b52-1e2d-4c8a-9b61-0a1b2c3d4e5f', created: 1_764_664_000, model: 'deepseek-reasoner' };
const FINGERPRINT = { system_fingerprint: 'fp_0a1b2c3d4e_prod0820_fp8_kvcache' };
const id = 'call_00_9aBcDeFgHiJkLmNoPqRsTuVw';

const usage = (prompt: number, cached: number, completion: number, reasoning?: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  prompt_cache_hit_tokens: cached,
  prompt_cache_miss_tokens: prompt - cached,
});
const piece = (spelled: string) => ({ tool_calls: [{ index: 0, function: { arguments: spelled } }] });

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion', ...FINGERPRINT },
  chunk: { ...ID, object: 'chat.completion.chunk', ...FINGERPRINT },
  choice: { logprobs: null },
  message: { content: '' },
  opening: { role: 'assistant', content: null, reasoning_content: '' },
  closing: { content: '', reasoning_content: null },
  usageAt: (counted, isLast) => ({ usage: isLast ? counted : null }),
  text: (content) => ({ content, reasoning_content: null }),
  thought: (text) => ({ content: null, reasoning_content: text }),
  calls: {
    whole: [{ index: 0, id, type: 'function', function: { name: CALL.name, arguments: '{"city": "Ulm"}' } }],
    stream: [
      { tool_calls: [{ index: 0, id, type: 'function', function: { name: CALL.name, arguments: '' } }] },
      ...['{"', 'city', '": "', 'Ulm', '"}'].map(piece),
    ],
  },
  counts: {
    text: [usage(339, 320, 12), { input: 19, cache_read: 320, output: 12 }],
    tools: [usage(300, 0, 15), { input: 300, output: 15 }],
    reasoning: [usage(350, 320, 92, 48), { input: 30, cache_read: 320, output: 44, reasoning: 48 }],
    after: [usage(400, 384, 7), { input: 16, cache_read: 384, output: 7 }],
  },
  returned: { returned: { reasoning_content: THOUGHT }, notReturned: ['reasoning', 'reasoning_details'] },
});

/** A turn with calls whose reasoning is missing while the model thinks. */
function lacksReasoning(request: unknown): boolean {
  return listAt(request, 'messages').some(
    (message) =>
      at(message, 'tool_calls') !== undefined &&
      JSON.stringify(request).includes('Play (reasoning)') &&
      at(message, 'reasoning_content') === undefined,
  );
}

/** Messages have no signatures and no stop sequence; usage is in the first and in the last event. */
const tokens = (input: number, read: number, output: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: read,
  output_tokens: output,
  service_tier: 'standard',
});
const inMessages = (input: number, read: number, output: number) => ({
  whole: tokens(input, read, output),
  start: tokens(input, read, 0),
  end: tokens(input, read, output),
  meant: { input, output, ...(read > 0 && { cache_read: read }) },
});

const messages = messagesScenes({
  head: { id: '0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d', model: 'deepseek-v4-pro' },
  callId: 'call_00_AbCdEfGhIjKlMnOpQrSt',
  thinks: true,
  lacks: { start: ['stop_reason', 'stop_sequence'], end: ['stop_sequence'] },
  counts: {
    text: inMessages(13, 320, 8),
    tools: inMessages(280, 0, 49),
    reasoning: inMessages(290, 0, 80),
    after: inMessages(40, 256, 7),
  },
});

export const deepseek: RecordedProvider = {
  id: 'deepseek',
  name: 'DeepSeek',
  model: 'deepseek-v4-pro',
  endpoints: [
    {
      entry: 'deepseek',
      rejects: (request) => (lacksReasoning(request) ? 'a turn with calls without reasoning_content' : undefined),
      scenes,
      errors: [
        {
          name: 'bad parameter',
          status: 400,
          body: {
            error: {
              message: 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
              type: 'invalid_request_error',
              param: null,
              code: 'invalid_request_error',
            },
          },
          expected: invalid('max'),
        },
        {
          name: 'wrong key',
          status: 401,
          body: {
            error: {
              message: 'Authentication Fails, Your api key: ****abcd is invalid',
              type: 'authentication_error',
              param: null,
              code: 'invalid_request_error',
            },
          },
          expected: OUR_FAULT,
        },
        {
          name: 'no balance',
          status: 402,
          body: {
            error: {
              message: 'Insufficient Balance',
              type: 'unknown_error',
              param: null,
              code: 'invalid_request_error',
            },
          },
          expected: OUR_FAULT,
        },
        {
          name: 'unknown model',
          status: 400,
          body: {
            error: {
              message: 'Model Not Exist',
              type: 'invalid_request_error',
              param: null,
              code: 'invalid_request_error',
            },
          },
          expected: NO_MODEL,
        },
        {
          name: 'rate limit',
          status: 429,
          body: {
            error: { message: 'Rate Limit Reached', type: 'rate_limit_error', param: null, code: 'rate_limit_error' },
          },
          expected: LIMITED,
        },
        {
          name: 'overloaded',
          status: 503,
          body: {
            error: {
              message: 'The server is overloaded due to high traffic',
              type: 'service_unavailable_error',
              param: null,
              code: 'service_unavailable_error',
            },
          },
          expected: OUR_FAULT,
        },
        {
          name: 'prompt too long',
          status: 400,
          body: {
            error: {
              message:
                "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (132000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
              type: 'invalid_request_error',
              param: null,
              code: 'invalid_request_error',
            },
          },
          expected: TOO_LONG,
        },
      ],
    },
    {
      entry: 'deepseek-messages',
      row: 'DeepSeek, messages',
      rejects: notMessages,
      scenes: messages,
      errors: [
        errorOf(
          'wrong key',
          401,
          OUR_FAULT,
          messagesError('authentication_error', 'Authentication Fails, Your api key: ****en is invalid'),
        ),
        errorOf('no balance', 402, OUR_FAULT, messagesError('invalid_request_error', 'Insufficient Balance')),
        errorOf('rate limit', 429, LIMITED, messagesError('rate_limit_error', 'Rate Limit Reached')),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          messagesError(
            'invalid_request_error',
            "This model's maximum context length is 1000000 tokens. However, you requested 1040000 tokens (1032000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
          ),
        ),
      ],
    },
  ],
};
