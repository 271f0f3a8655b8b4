import { at, listAt } from '@tollgate/test-support/gateway/json';
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
 * Recorded answers in fixtures of `@ai-sdk/mistral` and cassettes of pydantic-ai (`test_mistral`): text, calls,
 * thoughts, cached tokens. Not checked: the bodies of a wrong key, limits, an overload and a prompt that is too long.
 * Thoughts are parts of the content, calls come whole, ids of calls are nine characters.
 */

const ID = { id: 'b3999b8c93e04e11bcbff7bcab820000', created: 1_784_911_112, model: 'mistral-medium-3-5' };
const call = { id: 'gSIMJiOkT', type: 'function', function: { name: CALL.name, arguments: ARGUMENTS } };
const usage = (prompt: number, cached: number | undefined, completion: number) => ({
  prompt_tokens: prompt,
  total_tokens: prompt + completion,
  completion_tokens: completion,
  ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion' },
  chunk: { ...ID, object: 'chat.completion.chunk' },
  message: { tool_calls: null, content: '' },
  opening: { role: 'assistant', content: '' },
  closing: { content: '' },
  usageAt: 'last chunk',
  thought: (text) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }),
  calls: { whole: [call], stream: [{ content: null, tool_calls: [{ ...call, index: 0 }] }] },
  counts: {
    text: [usage(268, 224, 5), { input: 44, cache_read: 224, output: 5 }],
    tools: [usage(124, undefined, 22), { input: 124, output: 22 }],
    reasoning: [usage(130, undefined, 46), { input: 130, output: 46 }],
    after: [usage(160, 128, 6), { input: 32, cache_read: 128, output: 6 }],
  },
  returned: {
    returned: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: THOUGHT }] }] },
    notReturned: ['reasoning_content', 'reasoning', 'reasoning_details'],
    // Clients of chat completions get the parts as they are, which OpenAI's SDK takes for a text.
    clients: ['openai-responses', 'anthropic-messages', 'gemini'],
  },
});

/** Not in the types of https://github.com/mistralai/client-ts. */
const UNKNOWN = ['max_completion_tokens', 'user', 'safety_identifier', 'seed', 'logprobs', 'top_logprobs', 'store'];

function badId(request: unknown): string | undefined {
  const ids = listAt(request, 'messages').flatMap((message) => [
    at(message, 'tool_call_id'),
    ...(at(message, 'tool_calls') === undefined ? [] : listAt(message, 'tool_calls').map((each) => at(each, 'id'))),
  ]);
  return ids.some((id) => id !== undefined && !/^[a-zA-Z0-9]{9}$/.test(String(id))) ? 'an id of a call' : undefined;
}

export const mistral: RecordedProvider = {
  id: 'mistral',
  name: 'Mistral',
  model: 'mistral-medium-3-5',
  endpoints: [
    {
      entry: 'mistral',
      rejects: (request) => unsupportedIn(request, UNKNOWN) ?? badId(request),
      scenes,
      errors: [
        errorOf('bad parameter', 422, invalid('Input should be less'), {
          object: 'error',
          message: {
            detail: [
              {
                type: 'less_than_equal',
                loc: ['body', 'temperature'],
                msg: 'Input should be less than or equal to 1.5',
                input: 3,
                ctx: { le: 1.5 },
              },
            ],
          },
          type: 'invalid_request_error',
          param: null,
          code: null,
        }),
        errorOf('wrong key', 401, OUR_FAULT, { detail: 'Unauthorized' }),
        errorOf('unknown model', 400, NO_MODEL, {
          object: 'error',
          message: 'Invalid model: mistral-tiny-0',
          type: 'invalid_model',
          param: null,
          code: '1500',
        }),
        errorOf('rate limit', 429, LIMITED, { message: 'Requests rate limit exceeded' }),
        errorOf('capacity', 429, LIMITED, {
          object: 'error',
          message: 'Service tier capacity exceeded for this model.',
          type: 'service_tier_capacity_exceeded',
          param: null,
          code: '3505',
        }),
        errorOf('overloaded', 503, OUR_FAULT, { message: 'Service unavailable.' }),
        errorOf('prompt too long', 400, TOO_LONG, {
          object: 'error',
          message:
            'Prompt contains 300000 tokens and 0 draft tokens, too large for model with 262144 maximum context length',
          type: 'invalid_request_prompt',
          param: null,
          code: '3051',
        }),
      ],
    },
  ],
};
