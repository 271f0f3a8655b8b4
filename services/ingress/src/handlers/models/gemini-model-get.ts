import { type RouteWatch, routeTableOf } from '../../plan/routing/route-watch.ts';
import { isAllowed, isServed } from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import {
  keyOf,
  pathParameter,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import { renderGeminiModel } from './render-gemini-model.ts';

/**
 * GET /v1beta/models/{model}: one model in Google's format, by its id or an alias. A model that the key cannot call
 * gets the error of an unknown one: 400 model_not_available, by the contract.
 */
export function createGeminiModelGetHandler({ routes }: { routes: RouteWatch }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { context } = res.locals;
    const key = keyOf(context);
    const name = pathParameter(req, 'id').replace(/^models\//, '');
    const entry = routeTableOf(routes).find(name);
    if (entry === undefined || !isAllowed(entry, key.allowedModels) || !isServed(entry))
      throw apiErrors.modelNotAvailable(name);
    await context.admission?.recordUsage(0);
    sendJson(res, renderGeminiModel(entry));
  };
}
