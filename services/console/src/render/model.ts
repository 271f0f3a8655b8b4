import { BUCKET_NAMES, MODALITY_NAMES, PROTOCOL_NAMES } from '@tollgate/common/catalogue-names';
import { formatDollars, formatFactor } from '@tollgate/common/money';
import type { GetCatalogueResponse, Model, Price, Provider, Rate, RouteTable } from '@tollgate/proto/router';
import { renderTimeOrNull } from './time.ts';

/** The models of a route table, with the lines of the catalogue file that define them, if it is known. */
export function renderModels(table: RouteTable, catalogue: GetCatalogueResponse | undefined, nowMs: number) {
  const simulated = simulatedProviders(table.providers);
  const lines = new Map(catalogue?.models.map(({ modelId, line }) => [modelId, line]));
  return table.models.map((model) => {
    const line = lines.get(model.modelId);
    return {
      ...renderModel(model, simulated, nowMs),
      catalogue: catalogue === undefined || line === undefined ? null : { file: catalogue.file, line },
    };
  });
}

/** Ids of the providers whose responses are simulated. */
function simulatedProviders(providers: readonly Provider[]): ReadonlySet<string> {
  return new Set(providers.filter((provider) => provider.simulated).map(({ providerId }) => providerId));
}

function renderModel(model: Model, simulated: ReadonlySet<string>, nowMs: number) {
  const price = model.prices.findLast(({ effectiveFromMs }) => effectiveFromMs <= nowMs);
  return {
    model: model.modelId,
    display_name: model.displayName,
    owned_by: model.ownedBy,
    aliases: model.aliases,
    enabled: model.enabled,
    available: model.enabled && price !== undefined && model.deployments.some(({ inRotation }) => inRotation),
    simulated: model.deployments.some(({ providerId }) => simulated.has(providerId)),
    protocols: model.protocols.map((protocol) => PROTOCOL_NAMES[protocol]),
    input_modalities: model.inputModalities.map((modality) => MODALITY_NAMES[modality]),
    output_modalities: model.outputModalities.map((modality) => MODALITY_NAMES[modality]),
    context_window: Number(model.contextWindow),
    max_output_tokens: Number(model.maxOutputTokens),
    limits: {
      requests_per_minute: numberOrNull(model.limits?.requestsPerMinute),
      tokens_per_minute: numberOrNull(model.limits?.tokensPerMinute),
    },
    price: price === undefined ? null : renderPrice(price),
    next_prices: model.prices.filter(({ effectiveFromMs }) => effectiveFromMs > nowMs).map(renderPrice),
  };
}

function renderPrice(price: Price) {
  return {
    version: price.version,
    effective_from: renderTimeOrNull(price.effectiveFromMs),
    rates: renderRates(price.rates),
    tiers: renderTiers(price.tiers),
    options: price.options.map(({ name, value, multiplierPpm, rates, tiers }) => ({
      name,
      value,
      multiplier: multiplierPpm === 0n ? null : formatFactor(multiplierPpm),
      rates: renderRates(rates),
      tiers: renderTiers(tiers),
    })),
  };
}

function renderTiers(tiers: Price['tiers']) {
  return tiers.map((tier) => ({
    above_input_tokens: Number(tier.aboveInputTokens),
    rates: renderRates(tier.rates),
  }));
}

/** Dollars per million, by bucket. */
function renderRates(rates: readonly Rate[]): Record<string, string> {
  return Object.fromEntries(rates.map((rate) => [BUCKET_NAMES[rate.bucket], formatDollars(rate.nanosPerMillion)]));
}

function numberOrNull(count: bigint | undefined): number | null {
  return count === undefined ? null : Number(count);
}
