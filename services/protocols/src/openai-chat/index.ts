import { OPENAI_TOOL_NAMES } from '../canonical/tool-rename.ts';
import { readUpstreamError } from '../interface/errors.ts';
import type { Protocol } from '../interface/protocol.ts';
import { parseClientRequest } from './client-request.ts';
import { encodeError } from './errors.ts';
import { DEFAULT_PARAMETERS } from './shared/adjust.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { ChatStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

/** OpenAI's chat completions, which many other providers serve too. */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  parseRequest: parseClientRequest,
  upstream: {
    path: () => '/chat/completions',
    encodeRequest,
    decodeResponse,
    streamDecoder: (context) => new ChatStreamDecoder(context),
    defaultParameters: DEFAULT_PARAMETERS,
    maxStops: 4,
    // OpenAI itself has them, but the many compatible providers refuse them.
    hasCustomTools: false,
    optionField: (name) => (name === 'service_tier' ? name : undefined),
    toolNames: OPENAI_TOOL_NAMES,
    nativeCount: undefined,
    readError: readUpstreamError,
  },
  count: undefined,
  encodeError,
};
