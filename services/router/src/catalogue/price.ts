import { hash } from 'node:crypto';
import { Bucket, type Price, type PriceOption, type Rate } from '@tollgate/proto/router';
import { optionsOf } from './price-options.ts';
import {
  type DatedPriceEntry,
  isEmbeddingModel,
  type ModelEntry,
  type PriceOptionEntry,
  type PriceTierEntry,
  pricesOf,
} from './schema.ts';

/** The prices of a model, earliest first. */
export function toPrices(entry: ModelEntry): Price[] {
  const ratesOf = isEmbeddingModel(entry) ? embeddingRates : tokenRates;
  return pricesOf(entry).map(({ price }) => toPrice(price, ratesOf));
}

type TokenRateEntry = Omit<PriceTierEntry, 'above_input_tokens'>;

function toPrice(entry: DatedPriceEntry, ratesOf: (entry: TokenRateEntry) => Rate[]): Price {
  const rates = [...ratesOf(entry), ...itemRates(entry)];
  const tiers = tiersOf(entry, ratesOf);
  const options = optionsOf(entry).map(({ name, value, option }) => toOption(name, value, option, ratesOf));
  return {
    version: versionOf(entry.version, { rates, tiers, options }),
    rates,
    tiers,
    options,
    effectiveFromMs: BigInt(entry.effective_from ?? 0),
  };
}

function tiersOf({ tiers }: Pick<DatedPriceEntry, 'tiers'>, ratesOf: (entry: TokenRateEntry) => Rate[]) {
  return (tiers ?? []).map((tier) => ({
    aboveInputTokens: BigInt(tier.above_input_tokens),
    rates: ratesOf(tier),
  }));
}

function toOption(
  name: string,
  value: string,
  { input, multiplier, ...entry }: PriceOptionEntry,
  ratesOf: (entry: TokenRateEntry) => Rate[],
): PriceOption {
  if (input === undefined) return { name, value, multiplierPpm: multiplier ?? 0n, rates: [], tiers: [] };
  return { name, value, multiplierPpm: 0n, rates: ratesOf({ ...entry, input }), tiers: tiersOf(entry, ratesOf) };
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
    // Only if given: what is written for these lifetimes without a rate costs what the others do.
    ...givenRates([
      [Bucket.CACHE_WRITE_30M, entry.cache_write_30m],
      [Bucket.CACHE_WRITE_12H, entry.cache_write_12h],
    ]),
  ];
}

/** The only token rate of an embedding model. */
function embeddingRates(entry: TokenRateEntry): Rate[] {
  return [{ bucket: Bucket.INPUT, nanosPerMillion: entry.input }];
}

/** Rates of items, if given. */
function itemRates(entry: DatedPriceEntry): Rate[] {
  return givenRates([
    [Bucket.IMAGE, entry.image],
    [Bucket.SEARCH, entry.search],
    [Bucket.FETCH, entry.fetch],
    [Bucket.REQUEST, entry.request],
  ]);
}

function givenRates(rates: readonly (readonly [Bucket, bigint | undefined])[]): Rate[] {
  return rates.flatMap(([bucket, nanosPerMillion]) =>
    nanosPerMillion === undefined ? [] : [{ bucket, nanosPerMillion }],
  );
}

/** The permanent version of rates: a digest of them and their options, after the operator's label if there is one. */
function versionOf(
  label: string | undefined,
  { rates, tiers, options }: Pick<Price, 'rates' | 'tiers' | 'options'>,
): string {
  const texts = [textOf(rates), ...tiers.map(tierText), ...options.map(optionText)];
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

function tierText({ aboveInputTokens, rates }: Price['tiers'][number]): string {
  return `above=${aboveInputTokens} ${textOf(rates)}`;
}

function optionText({ name, value, multiplierPpm, rates, tiers }: PriceOption): string {
  return [`${name}=${value} times=${multiplierPpm}`, textOf(rates), ...tiers.map(tierText)].join(' ');
}

function textOf(rates: readonly Rate[]): string {
  return rates.map((rate) => `${rate.bucket}=${rate.nanosPerMillion}`).join(' ');
}
