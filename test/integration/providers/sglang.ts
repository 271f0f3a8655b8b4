import { chatScenes } from './chat.ts';
import { ARGUMENTS, CALL, errorOf, invalid, OUR_FAULT, type RecordedProvider, THOUGHT, TOO_LONG } from './recorded.ts';

/*
 * Not checked: answers of `/v1/responses`, and whether the newest deltas still have every field. Shapes are not
 * recorded but as in the server's source of 2026. Deltas have every field, mostly null, and the content of a whole
 * message is never null; reasoning tokens are at the top of usage; cached tokens need --enable-cache-report; errors
 * before a stream have no `error` around them.
 */

const ID = { id: '0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d', created: 1_781_000_000, model: 'qwen3-32b' };
const call = {
  id: 'call_0a1b2c3d4e5f6a7b8c9d0e1f',
  index: 0,
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};
const NULLS = { role: null, content: null, reasoning_content: null, tool_calls: null };
const usage = (prompt: number, cached: number, completion: number, reasoning = 0) => ({
  prompt_tokens: prompt,
  total_tokens: prompt + completion,
  completion_tokens: completion,
  prompt_tokens_details: cached === 0 ? null : { cached_tokens: cached },
  reasoning_tokens: reasoning,
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion', metadata: { weight_version: 'default' } },
  chunk: { ...ID, object: 'chat.completion.chunk', usage: null },
  choice: { logprobs: null, matched_stop: null },
  message: { content: '', reasoning_content: null, tool_calls: null },
  opening: { ...NULLS, role: 'assistant', content: '' },
  closing: NULLS,
  usageAt: 'own chunk',
  text: (content) => ({ ...NULLS, content }),
  thought: (reasoning_content) => ({ reasoning_content }),
  calls: {
    whole: [call],
    stream: [
      { ...NULLS, tool_calls: [{ ...call, function: { name: CALL.name, arguments: '' } }] },
      {
        ...NULLS,
        tool_calls: [{ id: null, index: 0, type: 'function', function: { name: null, arguments: ARGUMENTS } }],
      },
    ],
  },
  counts: {
    text: [usage(200, 192, 8), { input: 8, cache_read: 192, output: 8 }],
    tools: [usage(180, 0, 20), { input: 180, output: 20 }],
    reasoning: [usage(190, 0, 55, 40), { input: 190, output: 15, reasoning: 40 }],
    after: [usage(240, 192, 6), { input: 48, cache_read: 192, output: 6 }],
  },
  returned: { returned: { reasoning_content: THOUGHT }, notReturned: ['reasoning', 'reasoning_details'] },
});

const error = (message: string, type: string, code: number, param: string | null = null) => ({
  object: 'error',
  message,
  type,
  param,
  code,
});

export const sglang: RecordedProvider = {
  id: 'sglang',
  name: 'SGLang',
  model: 'sglang/your-model',
  endpoints: [
    {
      entry: 'sglang',
      scenes,
      unusualUsage: true,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('temperature must be non-negative, got -1.0.', 'BadRequestError', 400),
        ),
        errorOf('wrong key', 401, OUR_FAULT, { error: 'Unauthorized' }),
        errorOf(
          'internal',
          500,
          OUR_FAULT,
          error('Internal server error: the scheduler is gone', 'InternalServerError', 500),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            "The input (50000 tokens) is longer than the model's context length (40960 tokens).",
            'BadRequestError',
            400,
          ),
        ),
      ],
    },
  ],
};
