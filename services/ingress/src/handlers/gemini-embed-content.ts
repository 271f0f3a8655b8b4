import { parseEmbedContent } from '@tollgate/protocols/embeddings/index';
import type { PathParameters } from '@tollgate/protocols/interface/protocol';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import { type EmbedDependencies, embed } from './embed.ts';

/** POST /v1beta/models/{model}:embedContent, in Google's format. */
export function createGeminiEmbedContentHandler(deps: EmbedDependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Pick<PathParameters, 'model'>): Promise<void> =>
    embed(deps, req, res, { parse: (body) => parseEmbedContent(body, model), insufficientStatus: 402 });
}
