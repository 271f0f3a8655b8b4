import { at } from '@tollgate/test-support/gateway/json';
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
  THOUGHTS,
  TOO_LONG,
  unsupportedIn,
} from './recorded.ts';
import { responsesScenes } from './responses.ts';

/*
 * Recorded answers in fixtures of `@ai-sdk/xai`: text, calls, reasoning, usage of chat completions; texts, reasoning
 * and its encrypted form, usage and web searches of responses. Its provider: how usage is counted, which fields are not
 * supported, both shapes of errors. Not checked: whether responses take `prompt_cache_retention` and
 * `safety_identifier`, which CLIProxyAPI leaves out and so does the dialect, calls in streams of responses, and the
 * other errors in the test. Ids of responses have no prefix, and items have the id of their response. In chat
 * completions `completion_tokens` does not include the reasoning, which the total does; choices have no finish reason
 * until the last.
 */

const ID = { id: '7327b9f5-1c2f-0a15-3fef-c14a71c40000', created: 1_770_774_058, model: 'grok-4.7' };
const FINGERPRINT = { system_fingerprint: 'fp_2a88540000' };
const call = { id: 'call_55117580', function: { name: CALL.name, arguments: ARGUMENTS }, type: 'function' };
const usage = (prompt: number, cached: number, completion: number, reasoning: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion + reasoning,
  prompt_tokens_details: { text_tokens: prompt, audio_tokens: 0, image_tokens: 0, cached_tokens: cached },
  completion_tokens_details: {
    reasoning_tokens: reasoning,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
  num_sources_used: 0,
  cost_in_usd_ticks: 1_466_250,
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion', ...FINGERPRINT },
  chunk: { ...ID, object: 'chat.completion.chunk', ...FINGERPRINT },
  unfinished: {},
  message: { content: '', refusal: null },
  opening: { role: 'assistant', content: '' },
  closing: {},
  usageAt: 'own chunk',
  thought: (reasoning_content) => ({ reasoning_content }),
  calls: { whole: [call], stream: [{ tool_calls: [{ ...call, index: 0 }] }] },
  counts: {
    text: [usage(291, 290, 1, 0), { input: 1, cache_read: 290, output: 1 }],
    tools: [usage(291, 244, 26, 0), { input: 47, cache_read: 244, output: 26 }],
    reasoning: [usage(291, 244, 26, 189), { input: 47, cache_read: 244, output: 26, reasoning: 189 }],
    after: [usage(320, 290, 5, 12), { input: 30, cache_read: 290, output: 5, reasoning: 12 }],
  },
  // It is not among the fields of earlier messages: https://docs.x.ai/docs/guides/reasoning.
  returned: { notReturned: ['reasoning_content', 'reasoning', 'reasoning_details'] },
});

const counted = (input: number, cached: number, output: number, reasoning: number) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
  num_sources_used: 0,
  num_server_side_tools_used: 0,
  cost_in_usd_ticks: 21_466_250,
});
const RESPONSE_ID = '25de2f84-163c-6e9e-0000-cd1dbd6f9ed0';
const encrypted_content = 'WjtnRFdCMihgUoZ7-encrypted-reasoning';
const reasoningId = `rs_${RESPONSE_ID}`;
const place = { item_id: reasoningId, output_index: 0, summary_index: 0 };

const responses = responsesScenes({
  head: {
    id: RESPONSE_ID,
    model: 'grok-4.7',
    max_output_tokens: null,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: 'low', summary: 'detailed' },
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    user: null,
    store: false,
    metadata: {},
  },
  callId: call.id,
  reasoning: {
    item: (text) => ({
      id: reasoningId,
      summary: text === '' ? [] : [{ text, type: 'summary_text' }],
      type: 'reasoning',
      status: text === '' ? 'in_progress' : 'completed',
      ...(text !== '' && { encrypted_content }),
    }),
    events: (text) => [
      { type: 'response.reasoning_summary_part.added', ...place, part: { text: '', type: 'summary_text' } },
      ...THOUGHTS.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
      { type: 'response.reasoning_summary_text.done', ...place, text },
      { type: 'response.reasoning_summary_part.done', ...place, part: { text, type: 'summary_text' } },
    ],
    returned: { type: 'reasoning', encrypted_content, summary: [{ type: 'summary_text', text: THOUGHT }] },
  },
  counts: {
    text: [counted(291, 256, 80, 64), { input: 35, cache_read: 256, output: 16, reasoning: 64 }],
    tools: [counted(300, 244, 26, 0), { input: 56, cache_read: 244, output: 26 }],
    reasoning: [counted(310, 244, 215, 189), { input: 66, cache_read: 244, output: 26, reasoning: 189 }],
    after: [counted(340, 290, 17, 12), { input: 50, cache_read: 290, output: 5, reasoning: 12 }],
  },
});

const bad = (error: string) => ({ code: 'invalid-argument', error });
const denied = (error: string) => ({ code: 'permission-denied', error });
const NO_CREDIT =
  'Your team 0a1b2c3d has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.';

const errors = [
  errorOf('bad parameter', 400, invalid('temperature'), bad('Argument temperature must be at most 2.')),
  errorOf('wrong key', 400, OUR_FAULT, {
    code: 'Client specified an invalid argument',
    error: 'Incorrect API key provided: xa***en. You can obtain an API key from https://console.x.ai.',
  }),
  errorOf('no credit', 403, OUR_FAULT, denied(NO_CREDIT)),
  errorOf('no credit as a limit', 429, OUR_FAULT, denied(NO_CREDIT)),
  errorOf(
    'no credit yet',
    403,
    OUR_FAULT,
    denied(
      "Your newly created team doesn't have any credits or licenses yet. You can purchase those on https://console.x.ai/team/0a1b2c3d.",
    ),
  ),
  errorOf('unpaid', 402, OUR_FAULT, {
    code: 'personal-team-blocked:spending-limit',
    error: 'You have run out of credits or need a Grok subscription.',
  }),
  errorOf('forbidden prompt', 403, invalid('guidelines'), denied('Content violates usage guidelines.')),
  errorOf('unknown model', 404, NO_MODEL, {
    code: 'Some requested entity was not found',
    error: 'The model grok-0 does not exist or your team 0a1b2c3d does not have access to it.',
  }),
  errorOf('rate limit', 429, LIMITED, {
    code: 'Some resource has been exhausted',
    error: "Too many requests for team 0a1b2c3d and model grok-4.7. Your team's rate limit is: 10.",
  }),
  errorOf('overloaded', 503, OUR_FAULT, {
    code: 'The service is currently unavailable',
    error: 'Service temporarily unavailable. The model did not respond to this request.',
  }),
  errorOf(
    'prompt too long',
    400,
    TOO_LONG,
    bad("This model's maximum prompt length is 500000 but the request contains 600000 tokens."),
  ),
];

/** What responses reject: https://github.com/lidge-jun/opencodex/issues/2240 and others, see the page. */
function rejectedByResponses(request: unknown): string | undefined {
  const tools = elementsOf(at(request, 'tools'));
  const reasoning = elementsOf(at(request, 'input')).filter((item) => at(item, 'type') === 'reasoning');
  return (
    unsupportedIn(request, ['stop', 'presence_penalty', 'frequency_penalty', 'messages', 'max_tokens']) ??
    tools.map((tool) => unsupportedIn(tool, ['external_web_access', 'search_context_size'])).find(Boolean) ??
    (tools.some((tool) => at(tool, 'type') === 'custom') ? 'a custom tool' : undefined) ??
    (reasoning.some((item) => !Array.isArray(at(item, 'summary'))) ? 'reasoning without a summary' : undefined)
  );
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export const xai: RecordedProvider = {
  id: 'xai',
  name: 'xAI',
  model: 'grok-4.7',
  endpoints: [
    { entry: 'xai', rejects: rejectedByResponses, scenes: responses, errors },
    {
      entry: 'xai-chat',
      variant: { of: 'xai', fields: { protocol: 'openai-chat' } },
      // Reasoning models take neither: https://docs.x.ai/docs/models.
      rejects: (request) => unsupportedIn(request, ['presence_penalty', 'frequency_penalty', 'stop']),
      scenes,
      unusualUsage: true,
      errors,
    },
  ],
};
