import { readUpstreamError } from '../interface/errors.ts';
import type { Protocol } from '../interface/protocol.ts';
import { clientCount, parseClientRequest } from './client-request.ts';
import { encodeError } from './errors.ts';
import { DEFAULT_PARAMETERS } from './shared/adjust.ts';
import { nativeCount } from './upstream/count.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { MessagesStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';
import { TOOL_NAMES } from './upstream/encode-tools.ts';
import { generationPath } from './upstream/request-form.ts';

/** Anthropic's messages protocol. */
export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  parseRequest: parseClientRequest,
  upstream: {
    path: generationPath,
    encodeRequest,
    decodeResponse,
    streamDecoder: (context) => new MessagesStreamDecoder(context),
    defaultParameters: DEFAULT_PARAMETERS,
    maxStops: Number.POSITIVE_INFINITY,
    hasCustomTools: false,
    optionField: () => undefined,
    toolNames: TOOL_NAMES,
    nativeCount,
    readError: readUpstreamError,
  },
  count: clientCount,
  encodeError,
};
