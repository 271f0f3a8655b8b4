import type { Protocol, RequestReading } from '../protocol.ts';
import { readUpstreamError } from '../upstream-error.ts';
import { errorBody } from './errors.ts';
import { ResponsesClientRequest } from './request/client-request.ts';
import { readResponsesRequest } from './request/read.ts';

/** OpenAI's responses, and what others serve under that name. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  readRequest,
  upstream: {
    path: () => '/responses',
    encodeRequest: () => ({}),
    decodeWhole: () => ({ kind: 'malformed', problem: 'not read here' }),
    streamDecoder: () => ({
      push: () => ({ kind: 'malformed', problem: 'not read here' }),
      eof: () => ({ kind: 'malformed', problem: 'not read here' }),
    }),
    hasCustomTools: true,
    nativeCount: undefined,
    readError: readUpstreamError,
  },
  count: undefined,
  errorBody,
};

function readRequest(body: Buffer): RequestReading {
  const result = readResponsesRequest(body);
  return result.ok ? { ok: true, request: new ResponsesClientRequest(result.decoded) } : result;
}
