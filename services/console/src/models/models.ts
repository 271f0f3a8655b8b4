import { BUCKET_NAMES, MODALITY_NAMES, PROTOCOL_NAMES } from '@tollgate/common/catalogue-names';
import { formatFactor } from '@tollgate/common/money';
import type { Model, Price, PriceTier } from '@tollgate/proto/console/models';
import type {
  Model as CatalogueModel,
  Price as CataloguePrice,
  PriceTier as CatalogueTier,
  GetCatalogueResponse,
  Rate,
  RouteTable,
} from '@tollgate/proto/router';

/** The models of a route table, with the lines of the catalogue file that define them, if it is known. */
export function modelsOf(table: RouteTable, catalogue: GetCatalogueResponse | undefined, nowMs: number): Model[] {
  const simulated = new Set(table.providers.filter((each) => each.simulated).map(({ providerId }) => providerId));
  const lines = new Map(catalogue?.models.map(({ modelId, line }) => [modelId, line]));
  return table.models.map((model) => {
    const line = lines.get(model.modelId);
    const entry = catalogue === undefined || line === undefined ? undefined : { file: catalogue.file, line };
    return { ...modelOf(model, simulated, nowMs), catalogue: entry };
  });
}

/** @param simulated ids of the providers whose responses are simulated */
function modelOf(model: CatalogueModel, simulated: ReadonlySet<string>, nowMs: number): Omit<Model, 'catalogue'> {
  const price = model.prices.findLast(({ effectiveFromMs }) => effectiveFromMs <= nowMs);
  return {
    model: model.modelId,
    displayName: model.displayName,
    ownedBy: model.ownedBy,
    aliases: model.aliases,
    enabled: model.enabled,
    available: model.enabled && price !== undefined && model.deployments.some(({ inRotation }) => inRotation),
    simulated: model.deployments.some(({ providerId }) => simulated.has(providerId)),
    protocols: model.protocols.map((protocol) => PROTOCOL_NAMES[protocol]),
    inputModalities: model.inputModalities.map((modality) => MODALITY_NAMES[modality]),
    outputModalities: model.outputModalities.map((modality) => MODALITY_NAMES[modality]),
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    limits: model.limits,
    price: price === undefined ? undefined : priceOf(price),
    nextPrices: model.prices.filter(({ effectiveFromMs }) => effectiveFromMs > nowMs).map(priceOf),
  };
}

function priceOf({ version, effectiveFromMs, rates, tiers, options }: CataloguePrice): Price {
  return {
    version,
    effectiveFromMs,
    ratesNanos: ratesOf(rates),
    tiers: tiers.map(tierOf),
    options: options.map((option) => ({
      name: option.name,
      value: option.value,
      multiplier: option.multiplierPpm === 0n ? '' : formatFactor(option.multiplierPpm),
      ratesNanos: ratesOf(option.rates),
      tiers: option.tiers.map(tierOf),
    })),
  };
}

function tierOf({ aboveInputTokens, rates }: CatalogueTier): PriceTier {
  return { aboveInputTokens, ratesNanos: ratesOf(rates) };
}

/** Per million, by bucket. */
function ratesOf(rates: readonly Rate[]): Record<string, bigint> {
  return Object.fromEntries(rates.map((rate) => [BUCKET_NAMES[rate.bucket], rate.nanosPerMillion]));
}
