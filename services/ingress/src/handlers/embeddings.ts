import { parseOpenaiEmbeddings } from '@tollgate/protocols/embeddings/index';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import { type EmbedDependencies, embed } from './embed.ts';

/** POST /v1/embeddings, in OpenAI's format. */
export function createEmbeddingsHandler(deps: EmbedDependencies) {
  return (req: TollgateRequest, res: TollgateResponse): Promise<void> =>
    embed(deps, req, res, { parse: parseOpenaiEmbeddings, insufficientStatus: 400 });
}
