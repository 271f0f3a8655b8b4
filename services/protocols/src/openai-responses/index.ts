import type { Protocol, RequestReading } from '../protocol.ts';
import type { Stages } from '../stages.ts';
import { readUpstreamError } from '../upstream-error.ts';
import { decodeWhole } from './decode-response.ts';
import { ResponsesStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { errorBody } from './errors.ts';
import { nativeCount } from './parts/native-count.ts';
import { ResponsesClientRequest } from './request/client-request.ts';
import { readResponsesRequest } from './request/read.ts';

/** OpenAI's responses, and what others serve under that name. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  readRequest,
  upstream: {
    path: () => '/responses',
    encodeRequest,
    decodeWhole,
    streamDecoder: (context) => new ResponsesStreamDecoder(context),
    hasCustomTools: true,
    nativeCount,
    readError: readUpstreamError,
  },
  count: {
    readRequest,
    encodeAnswer: (tokens) => JSON.stringify({ object: 'response.input_tokens', input_tokens: tokens }),
  },
  errorBody,
};

function* readRequest(body: Buffer): Stages<RequestReading> {
  const result = yield* readResponsesRequest(body);
  return result.ok ? { ok: true, request: new ResponsesClientRequest(result.decoded) } : result;
}
