import type { Protocol, RequestReading } from '../protocol.ts';
import type { Stages } from '../stages.ts';
import { readUpstreamError } from '../upstream-error.ts';
import { ChatClientRequest } from './client/client-request.ts';
import { decodeChatRequest } from './client/parse.ts';
import { chatErrorBody } from './errors.ts';
import { decodeWhole } from './upstream/decode-response.ts';
import { ChatStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

/** OpenAI's chat-completions, and what others serve under that name. */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  readRequest,
  upstream: {
    path: () => '/chat/completions',
    encodeRequest,
    decodeWhole,
    streamDecoder: (context) => new ChatStreamDecoder(context),
    hasCustomTools: true,
    nativeCount: undefined,
    readError: readUpstreamError,
  },
  count: undefined,
  errorBody: chatErrorBody,
};

function* readRequest(body: Buffer): Stages<RequestReading> {
  const result = yield* decodeChatRequest(body);
  return result.ok ? { ok: true, request: new ChatClientRequest(result.decoded) } : result;
}
