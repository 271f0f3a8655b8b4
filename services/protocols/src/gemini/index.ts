import type { CallLine, Protocol, RequestReading } from '../protocol.ts';
import type { Stages } from '../stages.ts';
import { GeminiClientRequest } from './client/client-request.ts';
import { decodeGeminiRequest } from './client/parse.ts';
import { geminiErrorBody, readGeminiError } from './errors.ts';
import { modelPath } from './shared/model-path.ts';
import { clientCount, nativeCount } from './upstream/count.ts';
import { decodeWhole } from './upstream/decode-response.ts';
import { GeminiStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

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
