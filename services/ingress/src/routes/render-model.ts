import { formatDollars } from '@tollgate/common/money';
import { modalityName, protocolName, type RoutableModel } from './route-table.ts';

/** A model as listed: what the OpenAI and Anthropic SDKs read, and beside it prices, limits, modalities and protocols. */
export function renderModel(entry: RoutableModel) {
  const { model, price } = entry;
  return {
    id: model.modelId,
    object: 'model',
    created: Number(model.created),
    owned_by: model.ownedBy,
    type: 'model',
    display_name: model.displayName,
    created_at: new Date(Number(model.created) * 1_000).toISOString(),
    aliases: model.aliases,
    protocols: model.protocols.map(protocolName),
    input_modalities: model.inputModalities.map(modalityName),
    output_modalities: model.outputModalities.map(modalityName),
    context_window: Number(model.contextWindow),
    max_output_tokens: Number(model.maxOutputTokens),
    /** Dollars per million tokens or items of each bucket, as exact decimal text. */
    pricing: {
      currency: 'USD',
      version: price.version,
      per_million: Object.fromEntries([...price.rates].map(([bucket, rate]) => [bucket, formatDollars(rate)])),
    },
    simulated: entry.routes.length > 0 && entry.routes.every((route) => route.provider.simulated),
  };
}
