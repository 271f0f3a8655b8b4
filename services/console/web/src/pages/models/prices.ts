import { BUCKETS, isItemBucket } from '@tollgate/common/billing/buckets';
import type { Item } from '../../api/client.ts';
import { parseMoney, toMoney } from '../../format/money.ts';

export type Model = Item<'GET /accounts/{account_id}/models'>;
export type Price = NonNullable<Model['price']>;

/** The buckets that have a rate, in order. */
export function bucketsOf(rates: Price['rates']): string[] {
  const known: readonly string[] = BUCKETS;
  const unknown = Object.keys(rates).filter((bucket) => !known.includes(bucket));
  return [...known.filter((bucket) => rates[bucket] !== undefined), ...unknown.sort()];
}

/**
 * The rate that a bucket is charged at: cached input without a rate of its own costs what input does, reasoning what output
 * does. Undefined: the bucket is not charged.
 */
export function effectiveRate(price: Price, bucket: string): string | undefined {
  const own = price.rates[bucket];
  if (own !== undefined) return own;
  if (bucket.startsWith('cache_')) return price.rates['input'];
  return bucket === 'reasoning' ? price.rates['output'] : undefined;
}

export interface Change {
  bucket: string;
  from: string | null;
  to: string | null;
}

/** What an announced price changes. */
export function changesOf(before: Price | null, after: Price): Change[] {
  const buckets = bucketsOf({ ...before?.rates, ...after.rates });
  return buckets
    .map((bucket) => ({ bucket, from: before?.rates[bucket] ?? null, to: after.rates[bucket] ?? null }))
    .filter(({ from, to }) => from === null || to === null || Number(from) !== Number(to));
}

const PROTOCOLS: Record<string, string> = {
  'openai-chat': 'Chat Completions',
  'openai-responses': 'Responses',
  'anthropic-messages': 'Messages',
  gemini: 'Gemini',
  'openai-embeddings': 'Embeddings',
};

/** A protocol as its provider calls it. */
export function protocolName(protocol: string): string {
  return PROTOCOLS[protocol] ?? protocol;
}

/** Whether a model can be tried in the playground. */
export function canChat(model: Model): boolean {
  return model.enabled && model.output_modalities.includes('text');
}

/** Rows with a text in their name, id, alias or maker. */
export function matching(models: readonly Model[], text: string): Model[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [...models];
  return models.filter((model) =>
    [model.model, model.display_name, model.owned_by, ...model.aliases].some((each) =>
      each.toLowerCase().includes(wanted),
    ),
  );
}

/** A rate as a price: `$3.00`, `$0.125`, `$10,000.00`. */
export function rateText(rate: string): string {
  const [whole = '', decimals = ''] = toMoney(parseMoney(rate)).split('.');
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`;
}

/** A rate of a bucket: `$3.00` for a million tokens, `$10 per 1,000` for items. */
export function bucketRate(bucket: string, rate: string): string {
  const nanos = parseMoney(rate);
  if (!isItemBucket(bucket) || nanos % 1_000n !== 0n) return rateText(rate);
  return `${rateText(toMoney(nanos / 1_000n)).replace(/\.00$/, '')} per 1,000`;
}

/** The model with this id or alias. */
export function modelOf(models: readonly Model[], name: string): Model | undefined {
  return models.find(({ model }) => model === name) ?? models.find(({ aliases }) => aliases.includes(name));
}
