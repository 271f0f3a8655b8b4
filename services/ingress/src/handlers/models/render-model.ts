import { modalityName, protocolName, type RoutableModel } from '../../shared/catalogue/route-table.ts';
import { renderPrices } from './render-price.ts';

/**
 * A model in lists: the fields that the OpenAI and Anthropic SDKs read, and list prices, limits, modalities and protocols.
 *
 * @param nowMs Unix milliseconds, for the price in force
 */
export function renderModel(entry: RoutableModel, nowMs: number) {
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
    pricing: renderPrices(prices, nowMs),
    simulated: entry.routes.length > 0 && entry.routes.every((route) => route.provider.simulated),
  };
}
