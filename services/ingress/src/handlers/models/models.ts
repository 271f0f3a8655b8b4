import { markupOf, type PriceRule } from '@tollgate/common/billing/price-rules';
import type { Planner } from '../../plan/planner.ts';
import {
  isAllowed,
  isServed,
  modalityName,
  protocolName,
  type RoutableModel,
} from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import {
  keyOf,
  pathParameter,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import { renderPrices } from './render-price.ts';

/**
 * GET /v1/models/{id}: one model, by its id or an alias. Ids may contain slashes and colons. A model that the key
 * cannot call gets the error of an unknown one: 400 model_not_available, by the contract.
 */
export function createModelGetHandler({ planner }: { planner: Pick<Planner, 'table'> }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const id = pathParameter(req, 'id');
    const { context } = res.locals;
    const key = keyOf(context);
    const entry = planner.table.find(id);
    if (entry === undefined || !isAllowed(entry, key) || !isServed(entry)) throw apiErrors.modelNotAvailable(id);
    await context.admission?.recordUsage(0);
    sendJson(res, renderModel(entry, context.startedAtMs, key.priceRules));
  };
}

/**
 * GET /v1/models: the models that the key can call now, always in one page. The list calls of the OpenAI and the
 * Anthropic SDK both read it.
 */
export function createModelsListHandler({ planner }: { planner: Pick<Planner, 'table'> }) {
  return async (_req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { context } = res.locals;
    const key = keyOf(context);
    const models = planner.table.callable(key);
    const data = models.map((entry) => renderModel(entry, context.startedAtMs, key.priceRules));
    const ids = data.map((model) => model.id);
    await context.admission?.recordUsage(0);
    sendJson(res, { object: 'list', data, has_more: false, first_id: ids.at(0) ?? null, last_id: ids.at(-1) ?? null });
  };
}

/**
 * A model in lists: the fields that the OpenAI and Anthropic SDKs read, and prices, limits, modalities and protocols.
 *
 * @param nowMs Unix milliseconds, for the price in force
 * @param priceRules of the account
 */
export function renderModel(entry: RoutableModel, nowMs: number, priceRules: readonly PriceRule[]) {
  const { model, prices } = entry;
  return {
    id: model.modelId,
    object: 'model',
    created: Number(model.created),
    owned_by: model.ownedBy,
    type: 'model',
    display_name: model.displayName,
    ...(model.description !== '' && { description: model.description }),
    created_at: new Date(Number(model.created) * 1_000).toISOString(),
    aliases: model.aliases,
    protocols: model.protocols.map(protocolName),
    input_modalities: model.inputModalities.map(modalityName),
    output_modalities: model.outputModalities.map(modalityName),
    context_window: Number(model.contextWindow),
    max_output_tokens: Number(model.maxOutputTokens),
    pricing: renderPrices(prices, nowMs, markupOf(priceRules, model.modelId)),
    simulated: entry.routes.length > 0 && entry.routes.every((route) => route.provider.simulated),
  };
}
