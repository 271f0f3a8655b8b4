import { errorOf, invalid, LIMITED, NO_MODEL, OUR_FAULT, type RecordedError, TOO_LONG } from '../providers/recorded.ts';
import { anthropicError, edited, openaiError, type RecordedCloud, scenesOf } from './recorded.ts';

/*
 * Errors: anthropics/claude-code issue 536, BerriAI/litellm pull 39166, aws-samples/amazon-bedrock-client-for-mac issue
 * 112 (the header). AWS's own errors have a message, and their type in a header; a guardrail adds members whose names
 * begin with `amazon-bedrock`.
 */

const GUARDRAIL = {
  'amazon-bedrock-guardrailAction': 'INTERVENED',
  'amazon-bedrock-trace': { guardrail: { actionReason: 'Guardrail blocked.' } },
};
const guarded = (entry: string, provider = 'openai') =>
  edited(scenesOf(provider, entry), ({ whole, stream }) => ({
    whole: { ...whole, ...GUARDRAIL },
    // In the last event that is not just an end.
    stream: stream.map((event, index) => {
      const isLast = index === stream.findLastIndex((each) => typeof each !== 'string');
      return isLast && typeof event !== 'string' ? { ...event, ...GUARDRAIL } : event;
    }),
  }));

/** Bedrock counts content parts across items: after its reasoning, the only text of a message has the index 1 in a stream. */
const counted = edited(scenesOf('openai', 'openai-responses'), ({ whole, stream }) => ({
  whole,
  stream: stream.map((event) =>
    typeof event !== 'string' && 'content_index' in event ? { ...event, content_index: 1 } : event,
  ),
}));

const aws = (name: string, status: number, expected: RecordedError['expected'], type: string, message: string) =>
  errorOf(
    name,
    status,
    expected,
    { message },
    {
      'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    },
  );

const errors: RecordedError[] = [
  aws('wrong token', 403, OUR_FAULT, 'UnrecognizedClientException', 'The security token included is invalid.'),
  aws('expired token', 400, OUR_FAULT, 'ExpiredTokenException', 'The security token included is expired.'),
  aws(
    'no access',
    403,
    OUR_FAULT,
    'AccessDeniedException',
    "You don't have access to the model with the specified model ID.",
  ),
  errorOf('no permission', 403, OUR_FAULT, {
    Message: 'User: arn:aws:sts::123456789012:assumed-role/r is not authorized to perform: bedrock:InvokeModel',
  }),
  aws('unknown model', 400, NO_MODEL, 'ValidationException', 'The provided model identifier is invalid.'),
  aws('unknown profile', 404, NO_MODEL, 'ResourceNotFoundException', 'Could not resolve the foundation model.'),
  errorOf('wrong path', 400, NO_MODEL, openaiError("The model `openai.gpt-x` isn't supported on this route", null)),
  aws('bad parameter', 400, invalid('temperature'), 'ValidationException', 'temperature: range: 0..1'),
  aws('prompt too long', 400, TOO_LONG, 'ValidationException', 'Input is too long for requested model.'),
  aws('rate limit', 429, LIMITED, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
  aws('quota', 400, LIMITED, 'ServiceQuotaExceededException', 'Your request exceeds the service quota.'),
  errorOf('throttled', 400, LIMITED, {
    __type: 'com.amazon.coral.availability#ThrottlingException',
    message: 'Rate exceeded',
  }),
  aws('model error', 424, OUR_FAULT, 'ModelErrorException', 'The model returned an error.'),
  aws('unavailable', 503, OUR_FAULT, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
];

export const bedrock: RecordedCloud = {
  id: 'bedrock',
  name: 'Amazon Bedrock',
  endpoints: [
    {
      name: 'bedrock',
      protocol: 'openai-responses',
      entry: 'bedrock',
      scenes: counted,
      errors,
      passed: [],
    },
    {
      name: 'bedrock-chat',
      protocol: 'openai-chat',
      entry: 'bedrock-chat',
      scenes: guarded('openai'),
      errors,
      passed: Object.keys(GUARDRAIL),
    },
    {
      name: 'bedrock-messages',
      protocol: 'anthropic-messages',
      entry: 'bedrock-messages',
      scenes: scenesOf('anthropic', 'anthropic'),
      errors: [...errors, errorOf('overloaded', 529, OUR_FAULT, anthropicError('overloaded_error', 'Overloaded'))],
      passed: [],
    },
  ],
};
