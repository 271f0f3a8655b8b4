import type { Protocol } from '../interface/protocol.ts';
import { clientCount, parseClientRequest } from './client-request.ts';
import { decodeError, encodeError } from './errors.ts';
import { DEFAULT_PARAMETERS } from './shared/adjust.ts';
import { modelPath } from './shared/model.ts';
import { nativeCount } from './upstream/count.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { GeminiStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';
import { TOOL_NAMES } from './upstream/encode-tools.ts';

/** Tiers that Google has besides the standard one. */
const TIERS: ReadonlySet<string> = new Set(['flex', 'priority']);

/** Google's generateContent, with an API key. */
export const gemini: Protocol = {
  name: 'gemini',
  parseRequest: parseClientRequest,
  upstream: {
    path: (model, isStream) => `${modelPath(model)}${isStream ? ':streamGenerateContent?alt=sse' : ':generateContent'}`,
    encodeRequest,
    decodeResponse,
    streamDecoder: (context) => new GeminiStreamDecoder(context),
    defaultParameters: DEFAULT_PARAMETERS,
    maxStops: 5,
    hasCustomTools: false,
    optionField: (name, value) => (name === 'service_tier' && TIERS.has(value) ? 'serviceTier' : undefined),
    toolNames: TOOL_NAMES,
    nativeCount,
    readError: decodeError,
  },
  count: clientCount,
  encodeError,
};
