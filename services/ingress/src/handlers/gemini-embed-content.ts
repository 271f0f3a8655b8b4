import { parseEmbedContent } from '@tollgate/protocols/embeddings/index';
import type { PathParameters } from '@tollgate/protocols/interface/protocol';
import type { Dependencies } from '../dependencies.ts';
import { embed } from '../embeddings/embed.ts';
import type { TollgateRequest, TollgateResponse } from '../http/request-context.ts';

/** POST /v1beta/models/{model}:embedContent, in Google's format. */
export function createGeminiEmbedContentHandler(deps: Dependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Pick<PathParameters, 'model'>): Promise<void> =>
    embed(deps, req, res, { parse: (body) => parseEmbedContent(body, model), insufficientStatus: 402 });
}
