import type { Price, Rates } from './catalogue.ts';

/** Quantities by bucket (docs/reference/pricing.md). */
export interface Usage {
  input: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
  output: number;
  reasoning: number;
  search: number;
}

export const NO_USAGE: Usage = {
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
  reasoning: 0,
  search: 0,
};

export interface Line {
  bucket: string;
  quantity: bigint;
  rate: bigint;
  amount: bigint;
}

/** Implements docs/reference/pricing.md independently of the billing code, so that each checks the other. */
export function linesOf(price: Price, usage: Usage, images: bigint): Line[] {
  const prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
  const rates: Rates = price.tier !== undefined && BigInt(prompt) > price.tier.above ? price.tier : price;
  const quantities: [bucket: string, quantity: bigint, rate: bigint][] = [
    ['input', BigInt(usage.input), rates.input],
    ['cache_read', BigInt(usage.cache_read), rates.cache_read ?? rates.input],
    ['cache_write_5m', BigInt(usage.cache_write_5m), rates.cache_write_5m ?? rates.input],
    ['cache_write_1h', BigInt(usage.cache_write_1h), rates.cache_write_1h ?? rates.input],
    ['output', BigInt(usage.output), rates.output],
    ['reasoning', BigInt(usage.reasoning), rates.reasoning ?? rates.output],
    ['image', price.image === undefined ? 0n : images, price.image ?? 0n],
    ['search', BigInt(usage.search), price.search ?? 0n],
    ['request', price.request === undefined ? 0n : 1n, price.request ?? 0n],
  ];
  return quantities
    .filter(([, quantity]) => quantity > 0n)
    .map(([bucket, quantity, rate]) => ({ bucket, quantity, rate, amount: amountOf(quantity, rate) }));
}

/** Nano-dollars of a quantity at a rate per million, rounded half to even. */
export function amountOf(quantity: bigint, rate: bigint): bigint {
  const exact = quantity * rate;
  const integer = exact / 1_000_000n;
  const rest = exact % 1_000_000n;
  if (rest < 500_000n) return integer;
  return rest > 500_000n || integer % 2n === 1n ? integer + 1n : integer;
}
