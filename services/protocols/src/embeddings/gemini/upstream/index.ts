import type { EmbeddingsUpstream } from '../../shared/protocol.ts';
import { methodPath } from '../shared/model-name.ts';
import { decodeResponse } from './decode-response.ts';
import { encodeRequest } from './encode-request.ts';

/** Providers that serve Gemini's embeddings. */
export const geminiUpstream: EmbeddingsUpstream = {
  path: (upstreamModel, { inputs }) =>
    methodPath(upstreamModel, inputs.length === 1 ? 'embedContent' : 'batchEmbedContents'),
  encodeRequest,
  decodeResponse,
};
