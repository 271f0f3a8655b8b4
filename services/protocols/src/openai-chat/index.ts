import type { Protocol, RequestReading } from '../protocol.ts';
import { readUpstreamError } from '../upstream-error.ts';
import { chatErrorBody } from './errors.ts';
import { ChatClientRequest } from './request/client-request.ts';
import { decodeChatRequest } from './request/read.ts';

/** OpenAI's chat-completions, and what others serve under that name. */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  readRequest,
  upstream: {
    path: () => '/chat/completions',
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
  errorBody: chatErrorBody,
};

function readRequest(body: Buffer): RequestReading {
  const result = decodeChatRequest(body);
  return result.ok ? { ok: true, request: new ChatClientRequest(result.decoded) } : result;
}
