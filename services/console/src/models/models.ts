import { markupOf, ownRate, type PriceRule } from '@tollgate/common/billing/price-rules';
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

/**
 * The models of a route table, with the lines of the catalogue file that define them, if it is known.
 *
 * @param priceRules of the account whose prices they have
 */
export function modelsOf(
  table: RouteTable,
  catalogue: GetCatalogueResponse | undefined,
  priceRules: readonly PriceRule[],
  nowMs: number,
): Model[] {
  const simulated = new Set(table.providers.filter((each) => each.simulated).map(({ providerId }) => providerId));
  const lines = new Map(catalogue?.models.map(({ modelId, line }) => [modelId, line]));
  return table.models.map((model) => {
    const line = lines.get(model.modelId);
    const entry = catalogue === undefined || line === undefined ? undefined : { file: catalogue.file, line };
    const markupPpm = markupOf(priceRules, model.modelId);
    return { ...modelOf(model, { simulated, markupPpm, nowMs }), catalogue: entry };
  });
}

interface ModelTerms {
  /** Ids of the providers whose responses are simulated. */
  simulated: ReadonlySet<string>;
  /** Added to list prices. */
  markupPpm: number;
  nowMs: number;
}

function modelOf(model: CatalogueModel, { simulated, markupPpm, nowMs }: ModelTerms): Omit<Model, 'catalogue'> {
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
    price: price === undefined ? undefined : priceOf(price, markupPpm),
    nextPrices: model.prices
      .filter(({ effectiveFromMs }) => effectiveFromMs > nowMs)
      .map((each) => priceOf(each, markupPpm)),
  };
}

function priceOf({ version, effectiveFromMs, rates, tiers, options }: CataloguePrice, markupPpm: number): Price {
  const ratesOf = (list: readonly Rate[]) =>
    Object.fromEntries(list.map((rate) => [BUCKET_NAMES[rate.bucket], ownRate(rate.nanosPerMillion, markupPpm)]));
  const tierOf = ({ aboveInputTokens, rates: list }: CatalogueTier): PriceTier => ({
    aboveInputTokens,
    ratesNanos: ratesOf(list),
  });
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
