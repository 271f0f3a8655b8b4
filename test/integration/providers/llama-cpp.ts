import { chatScenes } from './chat.ts';
import { messagesScenes, notMessages } from './messages.ts';
import { ARGUMENTS, CALL, errorOf, invalid, OUR_FAULT, type RecordedProvider, THOUGHT, TOO_LONG } from './recorded.ts';

/*
 * Messages in the test of recorded answers: what `make servers-test` has seen, in own words. Not checked: the words of
 * the 400 for a wrong temperature and of the 500 in the test of recorded answers. Shapes are not recorded but as in the
 * server's source of 2026. Chunks have `timings` at the end, errors a number as code, and a prompt that is too long
 * names its length.
 */

const ID = {
  id: 'chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012345',
  created: 1_781_000_000,
  model: 'qwen3-8b',
  system_fingerprint: 'b7000-0a1b2c3d',
};
const call = {
  id: 'AbCdEfGhIjKlMnOpQrStUvWxYz012345',
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};
const TIMINGS = { cache_n: 160, prompt_n: 10, prompt_ms: 12.5, predicted_n: 9, predicted_ms: 80.25 };
const usage = (prompt: number, cached: number, completion: number) => ({
  completion_tokens: completion,
  prompt_tokens: prompt,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion', timings: TIMINGS },
  chunk: { ...ID, object: 'chat.completion.chunk' },
  opening: { role: 'assistant', content: null },
  closing: {},
  usageAt: 'own chunk',
  thought: (reasoning_content) => ({ reasoning_content }),
  calls: {
    whole: [call],
    stream: [
      { tool_calls: [{ ...call, index: 0, function: { name: CALL.name, arguments: '{' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"city":"Ulm"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '}' } }] },
    ],
  },
  counts: {
    text: [usage(170, 160, 9), { input: 10, cache_read: 160, output: 9 }],
    tools: [usage(180, 0, 20), { input: 180, output: 20 }],
    reasoning: [usage(185, 0, 50), { input: 185, output: 50 }],
    after: [usage(230, 176, 6), { input: 54, cache_read: 176, output: 6 }],
  },
  returned: { returned: { reasoning_content: THOUGHT }, notReturned: ['reasoning', 'reasoning_details'] },
});

const error = (code: number, message: string, type: string, fields: object = {}) => ({
  error: { code, message, type, ...fields },
});

/** Messages count cached tokens, a stream only at its start; a block of thoughts ends last, with an empty signature. */
const inMessages = (input: number, cached: number, output: number) => ({
  whole: { cache_read_input_tokens: cached, input_tokens: input, output_tokens: output },
  start: { cache_read_input_tokens: cached, input_tokens: input, output_tokens: 0 },
  end: { output_tokens: output },
  meant: { input, output, ...(cached > 0 && { cache_read: cached }) },
});

const messages = messagesScenes({
  head: { id: ID.id, model: ID.model },
  callId: call.id,
  thinks: true,
  signature: { value: '', at: 'delta' },
  lateStops: true,
  counts: {
    text: inMessages(10, 160, 9),
    tools: inMessages(180, 0, 20),
    reasoning: inMessages(185, 0, 50),
    after: inMessages(20, 190, 6),
  },
});

export const llamaCpp: RecordedProvider = {
  id: 'llama-cpp',
  name: 'llama.cpp',
  model: 'llama-cpp/your-model',
  endpoints: [
    {
      entry: 'llama-cpp',
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error(400, "Invalid value for 'temperature': must be a number", 'invalid_request_error'),
        ),
        errorOf('wrong key', 401, OUR_FAULT, error(401, 'Invalid API Key', 'authentication_error')),
        errorOf('loading', 503, OUR_FAULT, error(503, 'Loading model', 'unavailable_error')),
        errorOf(
          'internal',
          500,
          OUR_FAULT,
          error(500, 'failed to decode the batch: context size has been exceeded', 'server_error'),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            400,
            'request (50000 tokens) exceeds the available context size (40960 tokens), try increasing it',
            'exceed_context_size_error',
            { n_prompt_tokens: 50_000, n_ctx: 40_960 },
          ),
        ),
      ],
    },
    {
      entry: 'llama-cpp-messages',
      row: 'llama.cpp, messages',
      rejects: notMessages,
      scenes: messages,
      errors: [
        errorOf('internal', 500, OUR_FAULT, error(500, 'Compute error.', 'server_error')),
        errorOf('prompt too long', 400, TOO_LONG, {
          error: {
            code: 400,
            message: 'request (50000 tokens) exceeds the available context size (40960 tokens), try increasing it',
            type: 'exceed_context_size_error',
            n_prompt_tokens: 50_000,
            n_ctx: 40_960,
          },
        }),
      ],
    },
  ],
};
