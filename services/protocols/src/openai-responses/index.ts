import { OPENAI_TOOL_NAMES } from '../canonical/tool-rename.ts';
import { readUpstreamError } from '../interface/errors.ts';
import type { Protocol } from '../interface/protocol.ts';
import { clientCount, parseClientRequest } from './client-request.ts';
import { encodeError } from './errors.ts';
import { DEFAULT_PARAMETERS } from './shared/adjust.ts';
import { nativeCount } from './upstream/count.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { ResponsesStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

/** OpenAI's responses, which some other providers serve too. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  parseRequest: parseClientRequest,
  upstream: {
    path: () => '/responses',
    encodeRequest,
    decodeResponse,
    streamDecoder: (context) => new ResponsesStreamDecoder(context),
    defaultParameters: DEFAULT_PARAMETERS,
    maxStops: 0,
    hasCustomTools: true,
    optionField: (name) => (name === 'service_tier' ? name : undefined),
    toolNames: OPENAI_TOOL_NAMES,
    nativeCount,
    readError: readUpstreamError,
  },
  count: clientCount,
  encodeError,
};
