import {
  parseBatchEmbedContents,
  parseEmbedContent,
  parseOpenaiEmbeddings,
} from '@tollgate/protocols/embeddings/index';
import type { PathParameters } from '@tollgate/protocols/interface/protocol';
import type { EmbeddingsEndpoint } from '../plan/embeddings.ts';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import type { CallDependencies } from './generate.ts';

/** Checks the request, holds credit, calls an upstream, sends its response and charges for it. */
async function embed(
  { planner, exchanges }: CallDependencies,
  endpoint: EmbeddingsEndpoint,
  req: TollgateRequest,
  res: TollgateResponse,
): Promise<void> {
  await exchanges.make(res, await planner.embeddings(endpoint, req, res));
}

/** POST /v1/embeddings, in OpenAI's format. */
export function createEmbeddingsHandler(deps: CallDependencies) {
  return (req: TollgateRequest, res: TollgateResponse): Promise<void> =>
    embed(deps, { parse: parseOpenaiEmbeddings, insufficientStatus: 400 }, req, res);
}

/** POST /v1beta/models/{model}:batchEmbedContents, in Google's format, for several contents. */
export function createGeminiBatchEmbedContentsHandler(deps: CallDependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Pick<PathParameters, 'model'>): Promise<void> =>
    embed(deps, { parse: (body) => parseBatchEmbedContents(body, model), insufficientStatus: 402 }, req, res);
}

/** POST /v1beta/models/{model}:embedContent, in Google's format. */
export function createGeminiEmbedContentHandler(deps: CallDependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Pick<PathParameters, 'model'>): Promise<void> =>
    embed(deps, { parse: (body) => parseEmbedContent(body, model), insufficientStatus: 402 }, req, res);
}
