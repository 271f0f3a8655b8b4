import { at, listAt } from '@tollgate/test-support/gateway/json';
import { chatScenes } from './chat.ts';
import {
  AFTER,
  ARGUMENTS,
  CALL,
  errorOf,
  invalid,
  LIMITED,
  NO_MODEL,
  OUR_FAULT,
  type RecordedProvider,
  type Recording,
  type Scene,
  TEXT,
  TOO_LONG,
} from './recorded.ts';

/*
 * A whole answer and a stream of responses that vercel/ai recorded on 2026-09-25 (`agent-web-search` of
 * `@ai-sdk/perplexity`): items, events, usage, counts and costs of searches. Function calls: tests of a public project
 * of the same day. Types of perplexityai/perplexity-py, snapshot of 2026-06-08: the other names of cached tokens and of
 * searches. Recorded answers in fixtures of `@ai-sdk/perplexity`: text, usage, citations. Its provider: fields that are
 * not supported. Not checked: streamed function calls, the other errors in the test, the page of HTML, and tools in
 * chat completions. Every chunk has the usage so far and all citations; the last one is a `chat.completion.done` with
 * the final usage and its cost.
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

/**
 * Responses, which Perplexity calls its Agent API. A search of its own comes before the text: as a complete call that ends as its
 * results, with events of its own between. Messages open without content, and have no events of their parts.
 */
const AGENT = {
  background: false,
  completed_at: null,
  created_at: 1_790_374_547,
  error: null,
  frequency_penalty: 0,
  id: 'resp_0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d',
  incomplete_details: null,
  instructions: null,
  max_output_tokens: 1_024,
  max_tool_calls: null,
  metadata: {},
  model: 'perplexity/sonar',
  object: 'response',
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: null,
  safety_identifier: null,
  service_tier: 'fast',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: '',
  user: null,
};
const QUERIES = ['What colour is the sky?'];
const RESULTS = [
  {
    id: 1,
    url: 'https://example.com/sky',
    title: 'The sky',
    snippet: 'It is blue.',
    source: 'web',
    date: '2025-01-02',
  },
];
const agentUsage = (input: number, cached: number, output: number, searches: number) => ({
  cost: {
    cache_read_cost: 0.00003,
    currency: 'USD',
    input_cost: 0,
    output_cost: 0.00002,
    ...(searches > 0 && { tool_calls_cost: 0.0025, tool_calls_cost_details: { search_web: 0.0025 } }),
    total_cost: 0.00255,
  },
  input_tokens: input,
  input_tokens_details: { cache_creation_input_tokens: 0, cache_read_input_tokens: cached, cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  ...(searches > 0 && { tool_calls_details: { search_web: { cost_usd: 0.0025, invocation: searches } } }),
  total_tokens: input + output,
});

interface AgentItem {
  item: object;
  opened: object;
  events: readonly object[];
}

const search: AgentItem = {
  item: { type: 'search_results', queries: QUERIES, results: RESULTS },
  opened: {
    type: 'function_call',
    id: 'fc_0a1b2c3d',
    call_id: 'call_0a1b2c3d',
    name: 'search_web',
    status: 'completed',
    arguments: JSON.stringify({ queries: QUERIES }),
  },
  events: [
    { type: 'response.reasoning.search_queries', call_id: 'call_0a1b2c3d', queries: QUERIES, thought: 'Searching.' },
    {
      type: 'response.reasoning.search_results',
      call_id: 'call_0a1b2c3d',
      results: RESULTS,
      thought: 'Found 1 result',
    },
  ],
};
const functionCall = {
  type: 'function_call',
  id: 'fc_4e5f6a7b',
  call_id: 'call_4e5f6a7b',
  name: CALL.name,
  status: 'completed',
  arguments: ARGUMENTS,
};

function said(pieces: readonly string[], output_index: number): AgentItem {
  const head = { id: 'msg_0a1b2c3d', type: 'message', role: 'assistant', status: 'completed' };
  const place = { item_id: head.id, output_index, content_index: 0 };
  const whole = pieces.join('');
  return {
    item: { ...head, content: [{ type: 'output_text', text: whole, annotations: [] }] },
    opened: { ...head, content: null },
    events: [
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
      { type: 'response.output_text.done', ...place, text: whole },
    ],
  };
}

function agentAnswer(
  items: readonly AgentItem[],
  written: object,
  answer: Pick<Recording, 'text' | 'calls' | 'usage'>,
): Recording {
  const completed = { ...AGENT, status: 'completed', output: items.map(({ item }) => item), usage: written };
  const opened = { ...AGENT, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: opened },
    { type: 'response.in_progress', response: opened },
    ...items.flatMap((each, output_index) => [
      { type: 'response.output_item.added', output_index, item: each.opened },
      ...each.events,
      { type: 'response.output_item.done', output_index, item: each.item },
    ]),
    { type: 'response.completed', response: completed },
  ];
  return {
    ...answer,
    whole: completed,
    stream: events.map((event, sequence_number) => ({ ...event, sequence_number })),
  };
}

/** OpenAI's SDK knows neither the items of searches nor messages without content. */
const asIs = 'openai-responses';

const agent: Scene[] = [
  {
    name: 'text',
    asIs,
    answer: agentAnswer([search, said(TEXT, 1)], agentUsage(3_007, 3_004, 37, 1), {
      text: TEXT.join(''),
      usage: { input: 3, cache_read: 3_004, output: 37, search: 1 },
    }),
  },
  {
    name: 'tools',
    asIs,
    answer: agentAnswer([{ item: functionCall, opened: functionCall, events: [] }], agentUsage(128, 0, 12, 0), {
      text: '',
      calls: [CALL],
      usage: { input: 128, output: 12 },
    }),
    after: agentAnswer([said(AFTER, 0)], agentUsage(160, 128, 6, 0), {
      text: AFTER.join(''),
      usage: { input: 32, cache_read: 128, output: 6 },
    }),
  },
];

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
  model: 'perplexity/sonar',
  endpoints: [
    {
      entry: 'perplexity',
      scenes: agent,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('At body -> temperature: Input should be less than 2', 'bad_request', 400),
        ),
        errorOf('rate limit', 429, LIMITED, error('Rate limit exceeded', 'request_rate_limit_exceeded', 429)),
      ],
    },
    {
      entry: 'perplexity-chat',
      variant: { of: 'perplexity', fields: { protocol: 'openai-chat', base_url: 'https://api.perplexity.ai' } },
      row: 'Perplexity, chat completions',
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
