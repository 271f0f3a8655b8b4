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
  TOO_LONG,
} from './recorded.ts';

/*
 * Shapes are partly recorded: "Sources" of docs/providers/perplexity.md says what was read and what has yet to be checked.
 * Every chunk has the usage so far and all citations; the last one is a `chat.completion.done` with the final usage and its
 * cost.
 */

const ID = { id: '58cb9740-f356-0000-b71e-a02a1376c1b9', model: 'sonar', created: 1_770_768_240 };
const CITATIONS = {
  citations: ['https://example.com/sky', 'https://example.org/blue'],
  search_results: [
    { title: 'The sky', url: 'https://example.com/sky', date: '2025-01-02', last_updated: '2025-03-04' },
  ],
};
const usage = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  search_context_size: 'low',
  cost: {
    input_tokens_cost: 0.00001,
    output_tokens_cost: 0.00025,
    request_cost: 0.005,
    total_cost: 0.00526,
  },
});

const [text] = chatScenes({
  whole: { ...ID, ...CITATIONS, object: 'chat.completion' },
  chunk: { ...ID, ...CITATIONS, object: 'chat.completion.chunk' },
  unfinished: {},
  opening: { role: 'assistant', content: '' },
  closing: { role: 'assistant', content: '' },
  usageAt: (counted, isLast) => ({
    usage: isLast ? counted : { prompt_tokens: at(counted, 'prompt_tokens'), completion_tokens: 1, total_tokens: 12 },
    object: isLast ? 'chat.completion.done' : 'chat.completion.chunk',
  }),
  text: (content) => ({ role: 'assistant', content }),
  calls: { whole: [{ function: { name: CALL.name, arguments: ARGUMENTS } }], stream: [] },
  counts: {
    text: [usage(10, 25), { input: 10, output: 25 }],
    tools: [{}, { input: 0, output: 0 }],
    after: [{}, { input: 0, output: 0 }],
  },
  end: [],
});

/** After the system's, user and assistant take turns: https://github.com/perplexityai/api-discussion/issues/265. */
function repeatsRole(request: unknown): string | undefined {
  const roles = listAt(request, 'messages').map((message) => String(at(message, 'role')));
  const turns = roles.slice(roles.lastIndexOf('system') + 1);
  return turns.some((role, index) => role === turns[index - 1]) ? 'a repeated role' : undefined;
}

const error = (message: string, type: string, code: number) => ({ error: { message, type, code } });

export const perplexity: RecordedProvider = {
  id: 'perplexity',
  name: 'Perplexity',
  endpoints: [
    {
      entry: 'perplexity-chat',
      rejects: repeatsRole,
      scenes: text === undefined ? [] : [text],
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('At body -> temperature: Input should be less than 2', 'bad_request', 400),
        ),
        errorOf(
          'wrong key',
          401,
          OUR_FAULT,
          '<html>\r\n<head><title>401 Authorization Required</title></head>\r\n<body>\r\n<center><h1>401 Authorization Required</h1></center>\r\n</body>\r\n</html>\r\n',
          { 'content-type': 'text/html' },
        ),
        errorOf(
          'unknown model',
          400,
          NO_MODEL,
          error(
            "Invalid model 'sonar-0'. Permitted models can be found in the documentation at https://docs.perplexity.ai/getting-started/models.",
            'invalid_model',
            400,
          ),
        ),
        errorOf(
          'rate limit',
          429,
          LIMITED,
          error('Request rate limit exceeded, please try again later.', 'request_rate_limit_exceeded', 429),
        ),
        errorOf(
          'overloaded',
          503,
          OUR_FAULT,
          error('The server is currently unable to handle the request.', 'service_unavailable', 503),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            "This model's maximum context length is 127072 tokens. However, you requested 140000 tokens (139000 in the messages, 1000 in the completion).",
            'invalid_request_error',
            400,
          ),
        ),
      ],
    },
  ],
};
