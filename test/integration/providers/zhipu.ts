import { at, listAt } from '@tollgate/test-support/gateway/json';
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
 * Recorded answers in cassettes of pydantic-ai (`test_zai`): text, reasoning and where it goes back, efforts, usage;
 * its profile of the models. Not checked: calls, cached tokens that are not zero, thinking of messages, and the
 * messages and statuses of the other errors. Every delta has the role; errors have a number as text.
 */

const ID = { id: '202607010739250000df703dd30a85', created: 1_782_862_773, model: 'glm-4.7' };
const call = {
  id: 'call_-7834927105893200000',
  index: 0,
  type: 'function',
  function: { name: CALL.name, arguments: ARGUMENTS },
};
const usage = (prompt: number, cached: number, completion: number, reasoning = 0) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion', request_id: ID.id },
  chunk: { ...ID, object: 'chat.completion.chunk' },
  unfinished: {},
  message: { content: '' },
  opening: { role: 'assistant', content: '' },
  closing: { role: 'assistant', content: '' },
  usageAt: 'last chunk',
  text: (content) => ({ role: 'assistant', content }),
  thought: (reasoning_content) => ({ role: 'assistant', reasoning_content }),
  calls: { whole: [call], stream: [{ role: 'assistant', tool_calls: [call] }] },
  counts: {
    text: [usage(213, 192, 9), { input: 21, cache_read: 192, output: 9 }],
    tools: [usage(180, 0, 20), { input: 180, output: 20 }],
    reasoning: [usage(190, 128, 70, 49), { input: 62, cache_read: 128, output: 21, reasoning: 49 }],
    after: [usage(230, 192, 6), { input: 38, cache_read: 192, output: 6 }],
  },
  returned: { returned: { reasoning_content: THOUGHT }, notReturned: ['reasoning', 'reasoning_details'] },
});

const error = (code: string, message: string) => ({ error: { code, message }, request_id: ID.id });

/** A stream of messages has its usage at the end only, and a text ends after the call that follows it. */
const inMessages = (input: number, cached: number, output: number) => {
  const counted = {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cached,
    server_tool_use: { web_search_requests: 0 },
    service_tier: 'standard',
  };
  return {
    whole: counted,
    start: { input_tokens: 0, output_tokens: 0 },
    end: counted,
    meant: { input, output, ...(cached > 0 && { cache_read: cached }) },
  };
};

const messages = messagesScenes({
  head: { id: 'msg_202607010739250000df703dd30a85', model: 'glm-4.7' },
  callId: 'call_0a1b2c3d4e5f6a7b8c9d0e1f',
  thinks: true,
  lateStops: true,
  between: [{ type: 'ping' }],
  counts: {
    text: inMessages(21, 192, 9),
    tools: inMessages(180, 0, 20),
    reasoning: inMessages(62, 128, 70),
    after: inMessages(38, 192, 6),
  },
});

/** Errors of messages have the number as well. */
const inErrors = (type: string, code: string, message: string) =>
  messagesError(type, `[${code}][${message}][${ID.id}]`, { code });

function systemIn(request: unknown): string | undefined {
  return listAt(request, 'messages').some((turn) => at(turn, 'role') === 'system') ? 'a system message' : undefined;
}

export const zhipu: RecordedProvider = {
  id: 'zhipu',
  name: 'Zhipu (Z.ai)',
  model: 'glm-5.3',
  endpoints: [
    {
      entry: 'zhipu',
      // https://github.com/zai-org/z-ai-sdk-python has `max_tokens`, and none of these.
      rejects: (request) => unsupportedIn(request, ['max_completion_tokens', 'logprobs', 'n']),
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('1210', 'API parameter error: temperature must be in [0, 1]'),
        ),
        errorOf('wrong key', 401, OUR_FAULT, error('1001', 'Authentication parameter not received in Header')),
        errorOf('unknown model', 400, NO_MODEL, error('1211', 'Unknown Model, please check the model code.')),
        errorOf(
          'no balance',
          429,
          OUR_FAULT,
          error('1113', 'Insufficient balance or no resource package. Please recharge.'),
        ),
        errorOf('plan expired', 429, OUR_FAULT, error('1309', 'Your GLM Coding Plan has expired.')),
        errorOf('model not in plan', 429, OUR_FAULT, error('1311', 'The current plan does not include glm-0.')),
        errorOf(
          'usage limit',
          429,
          LIMITED,
          error('1308', 'Usage limit reached for 5 hour. Your limit will reset at 2026-11-24 20:00:00'),
        ),
        errorOf('locked', 429, OUR_FAULT, error('1121', 'Your account has violations and is locked.')),
        errorOf('rate limit', 429, LIMITED, error('1302', 'Rate limit reached for requests')),
        errorOf(
          'overloaded',
          429,
          LIMITED,
          error('1305', 'The service may be temporarily overloaded, please try again later'),
        ),
        errorOf('internal', 500, OUR_FAULT, error('1234', 'Network error, error id: 2026070107')),
        errorOf('prompt too long', 400, TOO_LONG, error('1261', 'Prompt exceeds max length')),
      ],
    },
    {
      entry: 'zhipu-messages',
      row: 'Zhipu (Z.ai), messages',
      // A system message among the others is a 422: https://github.com/zai-org/GLM-5/issues/74.
      rejects: (request) => notMessages(request) ?? systemIn(request),
      scenes: messages,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          inErrors('invalid_request_error', '1210', 'API parameter error: temperature must be in [0, 1]'),
        ),
        errorOf(
          'wrong key',
          401,
          OUR_FAULT,
          inErrors('authentication_error', '1001', 'Authentication parameter not received in Header'),
        ),
        errorOf(
          'unknown model',
          400,
          NO_MODEL,
          inErrors('invalid_request_error', '1211', 'Unknown Model, please check the model code.'),
        ),
        errorOf(
          'no balance',
          429,
          OUR_FAULT,
          inErrors('rate_limit_error', '1113', 'Insufficient balance or no resource package. Please recharge.'),
        ),
        errorOf('rate limit', 429, LIMITED, inErrors('rate_limit_error', '1302', 'Rate limit reached for requests')),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          inErrors('invalid_request_error', '1261', 'Prompt exceeds max length'),
        ),
      ],
    },
  ],
};
