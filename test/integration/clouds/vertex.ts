import { at, listAt } from '@tollgate/test-support/gateway/json';
import { chatScenes } from '../providers/chat.ts';
import {
  ARGUMENTS,
  CALL,
  errorOf,
  invalid,
  LIMITED,
  NO_MODEL,
  OUR_FAULT,
  type RecordedError,
  TOO_LONG,
} from '../providers/recorded.ts';
import { anthropicError, edited, type RecordedCloud, scenesOf } from './recorded.ts';

/*
 * Not checked: which models the address with `global` serves, and the role. Usage of the endpoint with OpenAI's
 * protocol is as in Google's page on it; most errors are as Google was known to answer. Google's errors are a list
 * around one error where a stream was asked for. The OpenAI-compatible endpoint counts thoughts beside the completion,
 * and usage in the last chunk.
 */

const RATINGS = [
  { category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE', severity: 'HARM_SEVERITY_NEGLIGIBLE' },
];
const rated = (body: object): object => ({
  ...body,
  candidates: listAt(body, 'candidates').map((candidate) => ({ ...Object(candidate), safetyRatings: RATINGS })),
  usageMetadata: { ...Object(at(body, 'usageMetadata')), trafficType: 'ON_DEMAND' },
  promptFeedback: { safetyRatings: RATINGS },
});
const gemini = edited(scenesOf('gemini', 'gemini'), ({ whole, stream }) => ({
  whole: rated(whole),
  stream: stream.map((event) => (typeof event === 'string' ? event : rated(event))),
}));

const HEAD = {
  id: 'nQiNafGyF5rw998PstqooAY',
  created: 1_781_000_000,
  model: 'google/gemini-3.5-flash',
  system_fingerprint: '',
};
const call = { id: 'function-call-0a1b2c3d', type: 'function', function: { name: CALL.name, arguments: ARGUMENTS } };
const counted = (prompt: number, cached: number, completion: number, thoughts: number) => ({
  completion_tokens: completion,
  ...(thoughts > 0 && { completion_tokens_details: { reasoning_tokens: thoughts } }),
  extra_properties: { google: { traffic_type: 'ON_DEMAND' } },
  prompt_tokens: prompt,
  ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached } }),
  total_tokens: prompt + completion + thoughts,
});
const openai = chatScenes({
  whole: { ...HEAD, object: 'chat.completion' },
  chunk: { ...HEAD, object: 'chat.completion.chunk' },
  choice: { logprobs: null },
  opening: { role: 'assistant', content: '' },
  closing: {},
  usageAt: 'last chunk',
  calls: { whole: [call], stream: [{ tool_calls: [{ index: 0, ...call }] }] },
  counts: {
    text: [counted(180, 128, 6, 40), { input: 52, cache_read: 128, output: 6, reasoning: 40 }],
    tools: [counted(27, 0, 45, 504), { input: 27, output: 45, reasoning: 504 }],
    after: [counted(130, 0, 5, 0), { input: 130, output: 5 }],
  },
});

const google = (code: number, status: string, message: string) => [{ error: { code, message, status } }];
const TEMPERATURE =
  'Unable to submit request because it has a temperature value of 3 but the supported range is from 0.0 (inclusive) to 2.1 (exclusive). Update the value and try again.';
const errors: RecordedError[] = [
  errorOf('wrong token', 401, OUR_FAULT, google(401, 'UNAUTHENTICATED', 'Request had invalid credentials.')),
  errorOf(
    'no permission',
    403,
    OUR_FAULT,
    google(403, 'PERMISSION_DENIED', "Permission 'aiplatform.endpoints.predict' denied on resource"),
  ),
  errorOf(
    'not enabled',
    400,
    OUR_FAULT,
    google(400, 'FAILED_PRECONDITION', 'Project `1` is not allowed to use Publisher Model `m`.'),
  ),
  errorOf(
    'unknown model',
    404,
    NO_MODEL,
    google(404, 'NOT_FOUND', 'Publisher Model `m` was not found or your project does not have access to it.'),
  ),
  errorOf(
    'other region',
    400,
    NO_MODEL,
    google(400, 'INVALID_ARGUMENT', 'Publisher Model `m` is not servable in region us-central1.'),
  ),
  errorOf('rate limit', 429, LIMITED, google(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.')),
  errorOf('bad parameter', 400, invalid('temperature'), google(400, 'INVALID_ARGUMENT', TEMPERATURE)),
  errorOf('unavailable', 503, OUR_FAULT, google(503, 'UNAVAILABLE', 'The service is currently unavailable.')),
];

export const vertex: RecordedCloud = {
  id: 'vertex',
  name: 'Vertex AI',
  endpoints: [
    {
      name: 'vertex',
      protocol: 'gemini',
      entry: 'vertex',
      scenes: gemini,
      errors: [
        ...errors,
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          google(
            400,
            'INVALID_ARGUMENT',
            'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
          ),
        ),
      ],
      passed: ['promptFeedback', 'safetyRatings', 'trafficType'],
    },
    {
      name: 'vertex-messages',
      protocol: 'anthropic-messages',
      entry: 'vertex-messages',
      scenes: scenesOf('anthropic', 'anthropic'),
      errors: [
        ...errors,
        errorOf(
          'empty block',
          400,
          invalid('non-empty'),
          anthropicError('invalid_request_error', 'messages.0: text content blocks must be non-empty'),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          anthropicError('invalid_request_error', 'prompt is too long: 1050000 tokens > 1000000 maximum'),
        ),
      ],
      passed: [],
    },
    {
      name: 'vertex-openai',
      protocol: 'openai-chat',
      entry: 'vertex',
      fields: { protocol: 'openai-chat', path: '/endpoints/openapi' },
      scenes: openai,
      errors,
      passed: ['extra_properties', 'traffic_type'],
    },
  ],
};
