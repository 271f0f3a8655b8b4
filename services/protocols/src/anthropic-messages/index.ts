import type { ClientCount, Protocol, RequestReading, Upstream } from '../protocol.ts';
import type { Stages } from '../stages.ts';
import { readUpstreamError } from '../upstream-error.ts';
import { MessagesClientRequest } from './client/client-request.ts';
import { type ReadResult, readCountRequest, readMessagesRequest } from './client/parse.ts';
import { messagesErrorBody } from './errors.ts';
import { nativeCount } from './upstream/count.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { MessagesStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

const count: ClientCount = {
  readRequest: (body) => reading(readCountRequest(body)),
  encodeAnswer: (tokens) => JSON.stringify({ input_tokens: tokens }),
};

const upstream: Upstream = {
  path: () => '/messages',
  encodeRequest,
  decodeWhole: decodeResponse,
  streamDecoder: (context) => new MessagesStreamDecoder(context),
  hasCustomTools: false,
  nativeCount,
  readError: readUpstreamError,
};

/** Anthropic's messages protocol. */
export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  readRequest: (body) => reading(readMessagesRequest(body)),
  upstream,
  count,
  errorBody: messagesErrorBody,
};

function* reading(stages: Stages<ReadResult>): Stages<RequestReading> {
  const result = yield* stages;
  return result.ok ? { ok: true, request: new MessagesClientRequest(result.read) } : result;
}
