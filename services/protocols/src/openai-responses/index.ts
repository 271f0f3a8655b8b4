import type { Protocol, RequestReading } from '../protocol.ts';
import type { Stages } from '../stages.ts';
import { readUpstreamError } from '../upstream-error.ts';
import { ResponsesClientRequest } from './client/client-request.ts';
import { readResponsesRequest } from './client/parse.ts';
import { errorBody } from './errors.ts';
import { nativeCount } from './upstream/count.ts';
import { decodeWhole } from './upstream/decode-response.ts';
import { ResponsesStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

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
