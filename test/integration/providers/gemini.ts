import { at } from '@tollgate/test-support/gateway/json';
import { expect } from 'vitest';
import {
  AFTER,
  CALL,
  errorOf,
  invalid,
  LIMITED,
  NO_MODEL,
  OUR_FAULT,
  type Quantities,
  type RecordedProvider,
  type Recording,
  type Scene,
  TEXT,
  THOUGHT,
  THOUGHTS,
  TOO_LONG,
} from './recorded.ts';

/*
 * Recorded answers in fixtures of `@ai-sdk/google`: texts, thoughts and calls, whole and streamed, with signatures and
 * usage. Its 429 with `RetryInfo` is shortened. Not checked: ids of calls, cached tokens, the bodies of the other
 * errors, and the endpoint that is compatible with OpenAI. Every chunk has the usage so far; thoughts are counted
 * beside the candidates, and a call has a signature.
 */

const HEAD = { modelVersion: 'gemini-3.5-flash', responseId: 'AbCdEfGhIjKlMnOpQrStUv' };
const thoughtSignature = 'CiQBc2lnbmF0dXJlLW9mLXRoZS1wcm92aWRlci0wMDAwMDA=';
const call = { functionCall: { name: CALL.name, args: CALL.input, id: 'a1b2c3d4' }, thoughtSignature };

interface Count {
  written: object;
  meant: Quantities;
}

function usage(prompt: number, cached: number, candidates: number, thoughts: number): Count {
  return {
    written: {
      promptTokenCount: prompt,
      ...(candidates > 0 && { candidatesTokenCount: candidates }),
      totalTokenCount: prompt + candidates + thoughts,
      ...(cached > 0 && {
        cachedContentTokenCount: cached,
        cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cached }],
      }),
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
      ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    },
    meant: {
      input: prompt - cached,
      output: candidates,
      ...(cached > 0 && { cache_read: cached }),
      ...(thoughts > 0 && { reasoning: thoughts }),
    },
  };
}

function recording(
  parts: readonly object[],
  pieces: readonly object[],
  { written, meant }: Count,
  said: Pick<Recording, 'text' | 'thoughts' | 'calls'>,
): Recording {
  const body = (content: readonly object[], finish: string | undefined) => ({
    candidates: [
      {
        content: { parts: content, role: 'model' },
        ...(finish !== undefined && { finishReason: finish }),
        index: 0,
      },
    ],
    usageMetadata: finish === undefined ? { ...written, candidatesTokenCount: 1 } : written,
    ...HEAD,
  });
  return {
    ...said,
    usage: meant,
    whole: body(parts, 'STOP'),
    stream: [...pieces.map((piece) => body([piece], undefined)), body([{ text: '' }], 'STOP')],
  };
}

const text = (pieces: readonly string[], count: Count) =>
  recording(
    [{ text: pieces.join('') }],
    pieces.map((piece) => ({ text: piece })),
    count,
    { text: pieces.join('') },
  );
const thought = (piece: string) => ({ text: piece, thought: true });

const scenes: Scene[] = [
  { name: 'text', answer: text(TEXT, usage(180, 128, 6, 40)) },
  {
    name: 'tools',
    answer: recording([call], [call], usage(90, 0, 16, 0), { text: '', calls: [CALL] }),
    after: text(AFTER, usage(130, 0, 5, 0)),
  },
  {
    name: 'reasoning',
    answer: recording([thought(THOUGHT), call], [...THOUGHTS.map(thought), call], usage(95, 0, 16, 60), {
      text: '',
      thoughts: THOUGHT,
      calls: [CALL],
    }),
    after: text(AFTER, usage(130, 0, 5, 0)),
    returned: { parts: expect.arrayContaining([expect.objectContaining({ thoughtSignature })]) },
  },
];

const error = (code: number, status: string, message: string, details?: readonly object[]) => ({
  error: { code, message, status, ...(details !== undefined && { details }) },
});

export const gemini: RecordedProvider = {
  id: 'gemini',
  name: 'Gemini API',
  model: 'gemini-3.5-flash',
  endpoints: [
    {
      entry: 'gemini',
      rejects: (request) => ['messages', 'stream', 'model'].find((field) => at(request, field) !== undefined),
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error(
            400,
            'INVALID_ARGUMENT',
            '* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].',
          ),
        ),
        errorOf(
          'wrong key',
          400,
          OUR_FAULT,
          error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'API_KEY_INVALID',
              domain: 'googleapis.com',
              metadata: { service: 'generativelanguage.googleapis.com' },
            },
            {
              '@type': 'type.googleapis.com/google.rpc.LocalizedMessage',
              locale: 'en-US',
              message: 'API key not valid. Please pass a valid API key.',
            },
          ]),
        ),
        errorOf(
          'not permitted',
          403,
          OUR_FAULT,
          error(
            403,
            'PERMISSION_DENIED',
            'Generative Language API has not been used in project 4711 before or it is disabled.',
          ),
        ),
        errorOf(
          'unknown model',
          404,
          NO_MODEL,
          error(
            404,
            'NOT_FOUND',
            'models/gemini-0 is not found for API version v1beta, or is not supported for generateContent.',
          ),
        ),
        errorOf(
          'rate limit',
          429,
          { ...LIMITED, retryAfter: '22' },
          error(
            429,
            'RESOURCE_EXHAUSTED',
            'You exceeded your current quota, please check your plan and billing details.',
            [
              {
                '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
                violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }],
              },
              { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '21.5s' },
            ],
          ),
        ),
        errorOf(
          'internal',
          500,
          OUR_FAULT,
          error(
            500,
            'INTERNAL',
            'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
          ),
        ),
        errorOf(
          'overloaded',
          503,
          OUR_FAULT,
          error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
        ),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error(
            400,
            'INVALID_ARGUMENT',
            'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
          ),
        ),
      ],
    },
  ],
};
