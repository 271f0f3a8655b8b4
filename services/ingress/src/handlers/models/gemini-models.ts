import { Protocol } from '@tollgate/proto/router';
import type { Planner } from '../../plan/planner.ts';
import { isEmbeddingModel } from '../../plan/routing/find-routes.ts';
import { isAllowed, isServed, type RoutableModel } from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import {
  keyOf,
  pathParameter,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';

/**
 * GET /v1beta/models/{model}: one model in Google's format, by its id or an alias. A model that the key cannot call
 * gets the error of an unknown one: 400 model_not_available, by the contract.
 */
export function createGeminiModelGetHandler({ planner }: { planner: Pick<Planner, 'table'> }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { context } = res.locals;
    const key = keyOf(context);
    const name = pathParameter(req, 'id').replace(/^models\//, '');
    const entry = planner.table.find(name);
    if (entry === undefined || !isAllowed(entry, key) || !isServed(entry)) throw apiErrors.modelNotAvailable(name);
    await context.admission?.recordUsage(0);
    sendJson(res, renderGeminiModel(entry));
  };
}

/** Maximum number of models in a page, as in Google's API. */
const MAX_PAGE_SIZE = 1_000;

/**
 * GET /v1beta/models: the models that the key can call now with Google's SDKs, in one page unless `pageSize` is
 * smaller. `pageToken` is the name of the last model of the previous page.
 */
export function createGeminiModelsListHandler({ planner }: { planner: Pick<Planner, 'table'> }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { context } = res.locals;
    const key = keyOf(context);
    const models = planner.table.callable(key).filter(isCallableByGemini).map(renderGeminiModel);
    const start = startOf(req.query['pageToken'], models);
    const end = start + pageSizeOf(req.query['pageSize']);
    const page = models.slice(start, end);
    const last = page.at(-1);
    const isMore = end < models.length && last !== undefined;
    await context.admission?.recordUsage(0);
    sendJson(res, { models: page, ...(isMore ? { nextPageToken: last.name } : {}) });
  };
}

function pageSizeOf(value: unknown): number {
  if (value === undefined || value === '' || value === '0') return MAX_PAGE_SIZE;
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Math.min(Number(value), MAX_PAGE_SIZE);
  throw apiErrors.invalidRequest('pageSize: must be an integer of at least 0.');
}

function startOf(token: unknown, models: readonly { name: string }[]): number {
  if (token === undefined || token === '') return 0;
  const last = models.findIndex((model) => model.name === token);
  if (last === -1)
    throw apiErrors.invalidRequest('pageToken: is not the token of a previous page. List from the start again.');
  return last + 1;
}

/**
 * A model in Google's format. Fields unknown to the catalogue, such as a default temperature, are absent.
 * https://ai.google.dev/api/models#Model
 */
function renderGeminiModel(entry: RoutableModel) {
  const { model, routes } = entry;
  const isEmbedding = isEmbeddingModel(entry);
  const isSimulated = routes.length > 0 && routes.every((route) => route.provider.simulated);
  const description = model.description === '' ? `By ${model.ownedBy}.` : model.description;
  return {
    name: `models/${model.modelId}`,
    baseModelId: model.modelId,
    version: versionOf(model.created),
    displayName: model.displayName,
    description: isSimulated ? `${description} Its responses are simulated.` : description,
    inputTokenLimit: Number(model.contextWindow),
    // Google's own embedding models have 1 here.
    outputTokenLimit: isEmbedding ? 1 : Number(model.maxOutputTokens),
    supportedGenerationMethods: isEmbedding
      ? EMBEDDING_METHODS
      : model.protocols.includes(Protocol.GEMINI)
        ? METHODS
        : [],
  };
}

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'];
const EMBEDDING_METHODS = ['embedContent', 'batchEmbedContents'];

/** Whether Google's clients can call it. */
function isCallableByGemini(entry: RoutableModel): boolean {
  return isEmbeddingModel(entry) || entry.model.protocols.includes(Protocol.GEMINI);
}

/** The catalogue has no versions; the day of creation distinguishes models of the same name. */
function versionOf(created: bigint): string {
  return created === 0n ? '1' : new Date(Number(created) * 1_000).toISOString().slice(0, 10);
}
