import { hash } from 'node:crypto';
import { Bucket, type Price, type Rate } from '@tollgate/proto/router';
import { type DatedPriceEntry, isEmbeddingModel, type ModelEntry, type PriceTierEntry, pricesOf } from './schema.ts';

/** The prices of a model, earliest first. */
export function toPrices(entry: ModelEntry): Price[] {
  const ratesOf = isEmbeddingModel(entry) ? embeddingRates : tokenRates;
  return pricesOf(entry).map(({ price }) => toPrice(price, ratesOf));
}

type TokenRateEntry = Omit<PriceTierEntry, 'above_input_tokens'>;

function toPrice(entry: DatedPriceEntry, ratesOf: (entry: TokenRateEntry) => Rate[]): Price {
  const rates = [...ratesOf(entry), ...itemRates(entry)];
  const tiers = (entry.tiers ?? []).map((tier) => ({
    aboveInputTokens: BigInt(tier.above_input_tokens),
    rates: ratesOf(tier),
  }));
  return {
    version: versionOf(entry.version, { rates, tiers }),
    rates,
    tiers,
    effectiveFromMs: BigInt(entry.effective_from ?? 0),
  };
}

/** The rates of every token bucket: those not given are the input or output rate, so that an omitted rate does not make tokens free. */
function tokenRates(entry: TokenRateEntry): Rate[] {
  const output = entry.output ?? 0n;
  return [
    { bucket: Bucket.INPUT, nanosPerMillion: entry.input },
    { bucket: Bucket.CACHE_READ, nanosPerMillion: entry.cache_read ?? entry.input },
    { bucket: Bucket.CACHE_WRITE_5M, nanosPerMillion: entry.cache_write_5m ?? entry.input },
    { bucket: Bucket.CACHE_WRITE_1H, nanosPerMillion: entry.cache_write_1h ?? entry.input },
    { bucket: Bucket.OUTPUT, nanosPerMillion: output },
    { bucket: Bucket.REASONING, nanosPerMillion: entry.reasoning ?? output },
  ];
}

/** The only token rate of an embedding model. */
function embeddingRates(entry: TokenRateEntry): Rate[] {
  return [{ bucket: Bucket.INPUT, nanosPerMillion: entry.input }];
}

/** Rates of items, if given. */
function itemRates(entry: DatedPriceEntry): Rate[] {
  const items = [
    [Bucket.IMAGE, entry.image],
    [Bucket.SEARCH, entry.search],
    [Bucket.REQUEST, entry.request],
  ] as const;
  return items.flatMap(([bucket, nanosPerMillion]) =>
    nanosPerMillion === undefined ? [] : [{ bucket, nanosPerMillion }],
  );
}

/** The permanent version of rates: a digest of them, after the operator's label if there is one. */
function versionOf(label: string | undefined, { rates, tiers }: Pick<Price, 'rates' | 'tiers'>): string {
  const texts = [textOf(rates), ...tiers.map((tier) => `above=${tier.aboveInputTokens} ${textOf(tier.rates)}`)];
  return `${label ?? UNLABELLED}-${hash('sha256', texts.join(' ')).slice(0, VERSION_DIGITS)}`;
}

/** The label of versions without one. */
export const UNLABELLED = 'rates';

const VERSION_DIGITS = 12;

/** The operator's label of a version, and the digest of its rates. */
export function partsOfVersion(version: string): { label: string; digest: string } {
  const at = version.length - VERSION_DIGITS;
  return { label: version.slice(0, at - 1), digest: version.slice(at) };
}

function textOf(rates: readonly Rate[]): string {
  return rates.map((rate) => `${rate.bucket}=${rate.nanosPerMillion}`).join(' ');
}
