import { parseBatchEmbedContents } from '@tollgate/protocols/embeddings/index';
import type { PathParameters } from '@tollgate/protocols/interface/protocol';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import { type EmbedDependencies, embed } from './embed.ts';

/** POST /v1beta/models/{model}:batchEmbedContents, in Google's format, for several contents. */
export function createGeminiBatchEmbedContentsHandler(deps: EmbedDependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Pick<PathParameters, 'model'>): Promise<void> =>
    embed(deps, req, res, { parse: (body) => parseBatchEmbedContents(body, model), insufficientStatus: 402 });
}
