import { parseBatchEmbedContents, parseEmbedContent } from '@tollgate/protocols/embeddings/index';
import type { Dependencies } from '../dependencies.ts';
import { embed } from '../embeddings/embed.ts';
import type { TollgateRequest, TollgateResponse } from '../http/request-context.ts';

/** The model in the path. */
interface Call {
  model: string;
}

/** POST /v1beta/models/{model}:embedContent, in Google's format. */
export function embedContent(deps: Dependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Call): Promise<void> =>
    embed(deps, req, res, { parse: (body) => parseEmbedContent(body, model), insufficientStatus: 402 });
}

/** POST /v1beta/models/{model}:batchEmbedContents, for several contents. */
export function batchEmbedContents(deps: Dependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Call): Promise<void> =>
    embed(deps, req, res, { parse: (body) => parseBatchEmbedContents(body, model), insufficientStatus: 402 });
}
