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
import { renderModel } from './render-model.ts';

/**
 * GET /v1/models/{id}: one model, by its id or an alias. Ids may contain slashes and colons. A model that the key
 * cannot call gets the error of an unknown one: 400 model_not_available, by the contract.
 */
export function createModelGetHandler({ routes }: { routes: RouteWatch }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const id = pathParameter(req, 'id');
    const { context } = res.locals;
    const key = keyOf(context);
    const entry = routeTableOf(routes).find(id);
    if (entry === undefined || !isAllowed(entry, key.allowedModels) || !isServed(entry))
      throw apiErrors.modelNotAvailable(id);
    await context.admission?.recordUsage(0);
    sendJson(res, renderModel(entry, context.startedAtMs));
  };
}
