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
  unsupportedIn,
} from './recorded.ts';

/*
 * Shapes are partly recorded: "Sources" of docs/providers/xai.md says what was read and what has yet to be checked.
 * `completion_tokens` does not include the reasoning, which the total does; choices have no finish reason until the last.
 */

const ID = { id: '7327b9f5-1c2f-0a15-3fef-c14a71c40000', created: 1_770_774_058, model: 'grok-4.3' };
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

const bad = (error: string) => ({ code: 'Client specified an invalid argument', error });

export const xai: RecordedProvider = {
  id: 'xai',
  name: 'xAI',
  endpoints: [
    {
      entry: 'xai',
      // Reasoning models take neither: https://docs.x.ai/docs/models.
      rejects: (request) => unsupportedIn(request, ['presence_penalty', 'frequency_penalty', 'stop']),
      scenes,
      unusualUsage: true,
      errors: [
        errorOf('bad parameter', 400, invalid('temperature'), bad('Argument temperature must be at most 2.')),
        errorOf('wrong key', 400, OUR_FAULT, {
          ...bad('Incorrect API key provided: xa***en. You can obtain an API key from https://console.x.ai.'),
        }),
        errorOf('unknown model', 404, NO_MODEL, {
          code: 'Some requested entity was not found',
          error: 'The model grok-0 does not exist or your team 0a1b2c3d does not have access to it.',
        }),
        errorOf('rate limit', 429, LIMITED, {
          code: 'Some resource has been exhausted',
          error: "Too many requests for team 0a1b2c3d and model grok-4.3. Your team's rate limit is: 10.",
        }),
        errorOf('overloaded', 503, OUR_FAULT, {
          code: 'The service is currently unavailable',
          error: 'Service temporarily unavailable. The model did not respond to this request.',
        }),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          bad("This model's maximum prompt length is 1000000 but the request contains 1200000 tokens."),
        ),
      ],
    },
  ],
};
