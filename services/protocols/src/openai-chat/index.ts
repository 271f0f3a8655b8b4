import type { Protocol, RequestReading } from '../protocol.ts';
import type { Stages } from '../stages.ts';
import { readUpstreamError } from '../upstream-error.ts';
import { decodeWhole } from './decode-response.ts';
import { ChatStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { chatErrorBody } from './errors.ts';
import { ChatClientRequest } from './request/client-request.ts';
import { decodeChatRequest } from './request/read.ts';

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
