import type { CallLine, Protocol, RequestReading } from '../protocol.ts';
import type { Stages } from '../stages.ts';
import { decodeWhole } from './decode-response.ts';
import { GeminiStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { geminiErrorBody, readGeminiError } from './errors.ts';
import { clientCount, nativeCount } from './parts/count.ts';
import { modelPath } from './parts/model-path.ts';
import { GeminiClientRequest } from './request/client-request.ts';
import { decodeGeminiRequest } from './request/read.ts';

/** Google's generateContent, as it is called with an API key. */
export const gemini: Protocol = {
  name: 'gemini',
  readRequest,
  upstream: {
    path: (model, isStream) => `${modelPath(model)}${isStream ? ':streamGenerateContent?alt=sse' : ':generateContent'}`,
    encodeRequest,
    decodeWhole,
    streamDecoder: (context) => new GeminiStreamDecoder(context),
    hasCustomTools: false,
    nativeCount,
    readError: readGeminiError,
  },
  count: clientCount(readRequest),
  errorBody: geminiErrorBody,
};

function* readRequest(body: Buffer, call: CallLine): Stages<RequestReading> {
  const result = yield* decodeGeminiRequest(body, call);
  return result.ok ? { ok: true, request: new GeminiClientRequest(result.decoded) } : result;
}
