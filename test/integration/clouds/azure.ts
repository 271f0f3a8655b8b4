import { at, listAt } from '@tollgate/test-support/gateway/json';
import { errorOf, LIMITED, NO_MODEL, OUR_FAULT, type RecordedError, TOO_LONG } from '../providers/recorded.ts';
import { anthropicError, edited, openaiError, type RecordedCloud, scenesOf } from './recorded.ts';

/*
 * A prompt that the filter rejects: openai/openai-dotnet issue 55, compl-ai/compl-ai issue 20. Annotations: chunks that
 * public projects recorded. Foundry's errors: anthropics/claude-code issue 67179; others are as Azure was known to
 * answer. Not checked: that every resource takes both scopes, and `content_filters` of responses. Azure annotates
 * prompts and answers with what its content filter found; a stream begins with a chunk that has the prompt's and no
 * choice.
 */

const SAFE = {
  hate: { filtered: false, severity: 'safe' },
  self_harm: { filtered: false, severity: 'safe' },
  sexual: { filtered: false, severity: 'safe' },
  violence: { filtered: false, severity: 'safe' },
};
const PROMPT = {
  prompt_index: 0,
  content_filter_results: { ...SAFE, jailbreak: { filtered: false, detected: false } },
};
const FIRST = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [PROMPT] };

const annotated = (body: object): object => {
  const choices = listAt(body, 'choices').map((choice) => ({ ...Object(choice), content_filter_results: SAFE }));
  return { ...body, choices };
};
const chat = edited(scenesOf('openai', 'openai'), ({ whole, stream }) => ({
  whole: { ...annotated(whole), prompt_filter_results: [PROMPT] },
  stream: [FIRST, ...stream.map((event) => (typeof event === 'string' ? event : annotated(event)))],
}));

const filters = [
  { blocked: false, source_type: 'prompt', content_filter_results: SAFE, content_filter_offsets: { start_offset: 0 } },
];
const responses = edited(scenesOf('openai', 'openai-responses'), ({ whole, stream }) => ({
  whole: { ...whole, content_filters: filters },
  stream: stream.map((event) => {
    const response = at(event, 'response');
    return response === undefined
      ? event
      : { ...Object(event), response: { ...Object(response), content_filters: filters } };
  }),
}));

const FILTERED =
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.";
const innererror = {
  code: 'ResponsibleAIPolicyViolation',
  content_filter_result: { ...SAFE, violence: { filtered: true, severity: 'medium' } },
};
/** Those of the resource come before any model, in the same shape for all of its protocols. */
const resource: RecordedError[] = [
  errorOf(
    'wrong key',
    401,
    OUR_FAULT,
    openaiError('Access denied due to invalid subscription key or wrong API endpoint.', '401'),
  ),
  errorOf(
    'no role',
    401,
    OUR_FAULT,
    openaiError(
      'The principal `0a1b2c3d` lacks the required data action `Microsoft.CognitiveServices/x`.',
      'PermissionDenied',
    ),
  ),
  errorOf('firewall', 403, OUR_FAULT, openaiError('Access denied due to Virtual Network/Firewall rules.', '403')),
  errorOf(
    'unknown deployment',
    404,
    NO_MODEL,
    openaiError('The API deployment for this resource does not exist.', 'DeploymentNotFound'),
  ),
  errorOf(
    'rate limit',
    429,
    LIMITED,
    openaiError('Your requests have exceeded the token rate limit of your current S0 tier.', '429'),
    { 'retry-after': '22', 'retry-after-ms': '21500' },
  ),
  errorOf('no capacity', 429, LIMITED, openaiError('The system is currently experiencing high demand.', 'NoCapacity')),
  errorOf('internal', 500, OUR_FAULT, openaiError('The server had an error.', 'InternalServerError', 'server_error')),
];
const openai: RecordedError[] = [
  ...resource,
  errorOf(
    'filtered prompt',
    400,
    { status: 400, type: 'invalid_request_error', message: FILTERED },
    openaiError(FILTERED, 'content_filter', null, { param: 'prompt', status: 400, innererror }),
  ),
  errorOf(
    'other operation',
    400,
    NO_MODEL,
    openaiError('The chatCompletion operation does not work with the specified model, gpt-x.', 'OperationNotSupported'),
  ),
  errorOf(
    'prompt too long',
    400,
    TOO_LONG,
    openaiError(
      'Your input exceeds the context window of this model.',
      'context_length_exceeded',
      'invalid_request_error',
    ),
  ),
];

export const azure: RecordedCloud = {
  id: 'azure',
  name: 'Azure',
  endpoints: [
    {
      name: 'azure',
      protocol: 'openai-responses',
      entry: 'azure',
      scenes: responses,
      errors: openai,
      passed: ['content_filters'],
    },
    {
      name: 'azure-chat',
      protocol: 'openai-chat',
      entry: 'azure',
      fields: { protocol: 'openai-chat' },
      scenes: chat,
      errors: openai,
      passed: ['prompt_filter_results', 'content_filter_results'],
    },
    {
      name: 'foundry',
      protocol: 'anthropic-messages',
      entry: 'foundry',
      scenes: scenesOf('anthropic', 'anthropic'),
      errors: [
        ...resource,
        errorOf(
          'bad parameter',
          400,
          { status: 400, type: 'invalid_request_error', message: 'temperature' },
          anthropicError('invalid_request_error', 'temperature: range: 0..1'),
        ),
        errorOf('overloaded', 529, OUR_FAULT, anthropicError('overloaded_error', 'Overloaded')),
      ],
      passed: [],
    },
  ],
};
