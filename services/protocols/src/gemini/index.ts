import type { CallLine, Protocol, RequestReading } from '../protocol.ts';
import { geminiErrorBody, readGeminiError } from './errors.ts';
import { bareModel } from './passthrough/edit-request.ts';
import { GeminiClientRequest } from './request/client-request.ts';
import { decodeGeminiRequest } from './request/read.ts';

/** Google's generateContent, as it is called with an API key. */
export const gemini: Protocol = {
  name: 'gemini',
  readRequest,
  upstream: {
    path: (model, isStream) => `${modelPath(model)}${isStream ? ':streamGenerateContent?alt=sse' : ':generateContent'}`,
    encodeRequest: () => ({}),
    decodeWhole: () => ({ kind: 'malformed', problem: 'not read here' }),
    streamDecoder: () => ({
      push: () => ({ kind: 'malformed', problem: 'not read here' }),
      eof: () => ({ kind: 'malformed', problem: 'not read here' }),
    }),
    hasCustomTools: false,
    nativeCount: undefined,
    readError: readGeminiError,
  },
  count: undefined,
  errorBody: geminiErrorBody,
};

function readRequest(body: Buffer, call: CallLine): RequestReading {
  const result = decodeGeminiRequest(body, call);
  return result.ok ? { ok: true, request: new GeminiClientRequest(result.decoded) } : result;
}

function modelPath(model: string): string {
  return `/models/${bareModel(model).split('/').map(encodeURIComponent).join('/')}`;
}
