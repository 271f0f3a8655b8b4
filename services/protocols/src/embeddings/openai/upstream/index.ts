import type { EmbeddingsUpstream } from '../../shared/protocol.ts';
import { decodeResponse } from './decode-response.ts';
import { encodeRequest } from './encode-request.ts';

/** The path under the provider's base URL. */
export const EMBEDDINGS_PATH = '/embeddings';

/** Providers that serve OpenAI's embeddings. */
export const openaiUpstream: EmbeddingsUpstream = { path: () => EMBEDDINGS_PATH, encodeRequest, decodeResponse };
