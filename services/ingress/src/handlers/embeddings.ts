import { parseOpenaiEmbeddings } from '@tollgate/protocols/embeddings/index';
import { type EmbedDependencies, embed } from '../embeddings/embed.ts';
import type { TollgateRequest, TollgateResponse } from '../http/request-context.ts';

/** POST /v1/embeddings, in OpenAI's format. */
export function createEmbeddingsHandler(deps: EmbedDependencies) {
  return (req: TollgateRequest, res: TollgateResponse): Promise<void> =>
    embed(deps, req, res, { parse: parseOpenaiEmbeddings, insufficientStatus: 400 });
}
