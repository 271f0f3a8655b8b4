import { type RouteWatch, routeTableOf } from '../../plan/routing/route-watch.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import { isCallableByGemini, renderGeminiModel } from './render-gemini-model.ts';

/** Maximum number of models in a page, as in Google's API. */
const MAX_PAGE_SIZE = 1_000;

/**
 * GET /v1beta/models: the models that the key can call now with Google's SDKs, in one page unless `pageSize` is
 * smaller. `pageToken` is the name of the last model of the previous page.
 */
export function createGeminiModelsListHandler({ routes }: { routes: RouteWatch }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { context } = res.locals;
    const key = keyOf(context);
    const models = routeTableOf(routes).callable(key.allowedModels).filter(isCallableByGemini).map(renderGeminiModel);
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
