import { type RouteWatch, routeTableOf } from '../../plan/routing/route-watch.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import { renderModel } from './render-model.ts';

/**
 * GET /v1/models: the models that the key can call now, always in one page. The list calls of the OpenAI and the
 * Anthropic SDK both read it.
 */
export function createModelsListHandler({ routes }: { routes: RouteWatch }) {
  return async (_req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { context } = res.locals;
    const models = routeTableOf(routes).callable(keyOf(context).allowedModels);
    const data = models.map((entry) => renderModel(entry, context.startedAtMs));
    const ids = data.map((model) => model.id);
    await context.admission?.recordUsage(0);
    sendJson(res, { object: 'list', data, has_more: false, first_id: ids.at(0) ?? null, last_id: ids.at(-1) ?? null });
  };
}
