import { chatScenes } from './chat.ts';
import { messagesError, messagesScenes, notMessages } from './messages.ts';
import {
  ARGUMENTS,
  CALL,
  errorOf,
  invalid,
  NO_MODEL,
  OUR_FAULT,
  type RecordedProvider,
  THOUGHT,
  TOO_LONG,
} from './recorded.ts';

/*
 * Not checked: errors of messages, answers of `/v1/responses`, the 500 in the test, and which release first counts
 * reasoning tokens. Shapes are not recorded but as in the server's source of 2026. Reasoning is `reasoning`, which was
 * `reasoning_content` until v0.11; messages have every field, mostly null, but no empty list of calls; cached tokens
 * need --enable-prompt-tokens-details, and reasoning tokens a --reasoning-parser.
 */

const ID = { id: 'chatcmpl-0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d', created: 1_781_000_000, model: 'qwen3-32b' };
const call = {
  id: 'chatcmpl-tool-0a1b2c3d4e5f',
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};
const usage = (prompt: number, cached: number, completion: number, reasoning = 0) => ({
  prompt_tokens: prompt,
  total_tokens: prompt + completion,
  completion_tokens: completion,
  prompt_tokens_details: cached === 0 ? null : { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

const scenes = chatScenes({
  whole: {
    ...ID,
    object: 'chat.completion',
    service_tier: null,
    system_fingerprint: null,
    prompt_logprobs: null,
    prompt_token_ids: null,
    kv_transfer_params: null,
  },
  chunk: { ...ID, object: 'chat.completion.chunk' },
  choice: { logprobs: null, stop_reason: null, token_ids: null },
  message: { refusal: null, annotations: null, audio: null, function_call: null, reasoning: null },
  opening: { role: 'assistant', content: '' },
  closing: { content: '' },
  usageAt: 'own chunk',
  thought: (reasoning) => ({ reasoning }),
  calls: {
    whole: [call],
    stream: [
      { tool_calls: [{ ...call, index: 0, function: { name: CALL.name, arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city": ' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Ulm"}' } }] },
    ],
  },
  counts: {
    text: [usage(210, 192, 8), { input: 18, cache_read: 192, output: 8 }],
    tools: [usage(180, 0, 20), { input: 180, output: 20 }],
    reasoning: [usage(190, 0, 55, 40), { input: 190, output: 15, reasoning: 40 }],
    after: [usage(240, 176, 6), { input: 64, cache_read: 176, output: 6 }],
  },
  returned: { returned: { reasoning: THOUGHT }, notReturned: ['reasoning_details'] },
});

const error = (message: string, type: string, code: number, param: string | null = null) => ({
  error: { message, type, param, code },
});

/** Messages have a random signature, no cached tokens, and the end of chat completions; their first event has few fields. */
const inMessages = (input: number, output: number) => ({
  whole: { input_tokens: input, output_tokens: output },
  start: { input_tokens: input, output_tokens: 0 },
  end: { input_tokens: input, output_tokens: output },
  meant: { input, output },
});

const messages = messagesScenes({
  head: { id: ID.id, model: ID.model },
  callId: call.id,
  thinks: true,
  signature: { value: '0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d', at: 'delta' },
  lacks: { start: ['type', 'role'], end: ['stop_sequence'] },
  end: ['[DONE]'],
  counts: {
    text: inMessages(210, 8),
    tools: inMessages(180, 20),
    reasoning: inMessages(190, 55),
    after: inMessages(240, 6),
  },
});

export const vllm: RecordedProvider = {
  id: 'vllm',
  name: 'vLLM',
  model: 'vllm/your-model',
  endpoints: [
    {
      entry: 'vllm',
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('temperature must be non-negative, got -1.0.', 'BadRequestError', 400, 'temperature'),
        ),
        errorOf('wrong key', 401, OUR_FAULT, { error: 'Unauthorized' }),
        errorOf('unknown model', 404, NO_MODEL, error('The model `qwen0` does not exist.', 'NotFoundError', 404)),
        errorOf(
          'internal',
          500,
          OUR_FAULT,
          error(
            'EngineCore encountered an issue. See stack trace (above) for the root cause.',
            'InternalServerError',
            500,
          ),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            "This model's maximum context length is 40960 tokens. However, you requested 1000 output tokens and your prompt contains at least 49000 input tokens, for a total of at least 50000 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=49000)",
            'BadRequestError',
            400,
            'input_tokens',
          ),
        ),
      ],
    },
    {
      entry: 'vllm-messages',
      row: 'vLLM, messages',
      rejects: notMessages,
      scenes: messages,
      errors: [
        errorOf('unknown model', 404, NO_MODEL, messagesError('NotFoundError', 'The model `qwen0` does not exist.')),
        errorOf(
          'internal',
          500,
          OUR_FAULT,
          messagesError(
            'InternalServerError',
            'EngineCore encountered an issue. See stack trace (above) for the root cause.',
          ),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          messagesError(
            'BadRequestError',
            "This model's maximum context length is 40960 tokens. However, you requested 1000 output tokens and your prompt contains at least 49000 input tokens, for a total of at least 50000 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=49000)",
          ),
        ),
      ],
    },
  ],
};
