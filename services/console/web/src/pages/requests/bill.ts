import { BUCKETS, type BucketName } from '@tollgate/common/billing/buckets';
import { lineAmount } from '@tollgate/common/money';
import { parseMoney, toMoney } from '../../format/money.ts';
import { count } from '../../format/number.ts';
import { bucketRate } from '../models/prices.ts';
import { isZero, trimZeros } from '../shared/decimal.ts';
import type { Request } from './timeline.ts';

type Line = Request['lines'][number];

/** The bill of a request. All amounts are exact. */
export interface Bill {
  lines: readonly BillLine[];
  /** Before the discount. */
  list: string;
  /** What the discount takes off; null: there is none. */
  discount: { percent: string; amount: string } | null;
  /** What the account pays. */
  cost: string;
  /** The part above the hold, which the operator bears; null: none. */
  borneByOperator: string | null;
  hold: string | null;
  released: string | null;
  /** What the provider charges the operator, and what is left of the charge; null: not reported, or not for this person. */
  upstream: { cost: string; margin: string } | null;
  /** What it costs at list prices, and what the account paid beyond; null: it paid these, or not for this person. */
  base: { cost: string; margin: string } | null;
}

export interface BillLine extends Line {
  /** Such as `Cache read`. */
  label: string;
  unit: string;
  /** Before the discount. */
  list: string;
}

interface BucketLabel {
  label: string;
  /** Of several. */
  unit: string;
  /** Of one. */
  one: string;
}

const LABELS: Readonly<Record<BucketName, BucketLabel>> = {
  input: { label: 'Input', unit: 'tokens', one: 'token' },
  cache_read: { label: 'Cache read', unit: 'tokens', one: 'token' },
  cache_write_5m: { label: 'Cache write, 5 min', unit: 'tokens', one: 'token' },
  cache_write_30m: { label: 'Cache write, 30 min', unit: 'tokens', one: 'token' },
  cache_write_1h: { label: 'Cache write, 1 h', unit: 'tokens', one: 'token' },
  cache_write_12h: { label: 'Cache write, 12 h', unit: 'tokens', one: 'token' },
  output: { label: 'Output', unit: 'tokens', one: 'token' },
  reasoning: { label: 'Reasoning', unit: 'tokens', one: 'token' },
  image: { label: 'Images', unit: 'images', one: 'image' },
  search: { label: 'Searches', unit: 'searches', one: 'search' },
  fetch: { label: 'Fetched pages', unit: 'pages', one: 'page' },
  request: { label: 'Request', unit: 'requests', one: 'request' },
};

/** A bucket as people read it. */
export function bucketName(bucket: string): BucketLabel {
  const known = BUCKETS.find((each) => each === bucket);
  return known === undefined ? { label: bucket, unit: 'items', one: 'item' } : LABELS[known];
}

export function billOf(request: Request): Bill {
  const lines = request.lines.map((line) => {
    const { label, unit, one } = bucketName(line.bucket);
    const list = toMoney(lineAmount(BigInt(line.quantity), parseMoney(line.rate_per_million)));
    return { ...line, label, unit: line.quantity === 1 ? one : unit, list };
  });
  const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + parseMoney(amount), 0n);
  const list = sum(lines.map((line) => line.list));
  const charged = sum(lines.map((line) => line.amount));
  const cost = parseMoney(request.cost);
  return {
    lines,
    list: toMoney(list),
    discount: isZero(request.discount_percent)
      ? null
      : { percent: request.discount_percent, amount: toMoney(list - charged) },
    cost: request.cost,
    borneByOperator: charged > cost ? toMoney(charged - cost) : null,
    hold: request.hold,
    released: request.released,
    upstream: upstreamOf(request),
    base: baseOf(request),
  };
}

function upstreamOf({ cost, upstream_cost }: Request): Bill['upstream'] {
  if (upstream_cost === undefined) return null;
  return { cost: upstream_cost, margin: toMoney(parseMoney(cost) - parseMoney(upstream_cost)) };
}

function baseOf({ base_cost, margin }: Request): Bill['base'] {
  return base_cost === undefined || margin === undefined ? null : { cost: base_cost, margin };
}

/** `$3.00 per million`, `$10 per 1,000` */
export function fullRate({ bucket, rate_per_million }: Pick<Line, 'bucket' | 'rate_per_million'>): string {
  const rate = bucketRate(bucket, rate_per_million);
  return rate.includes(' per ') ? rate : `${rate} per million`;
}

/** How an amount came about: `1,200 tokens × $3.00 per million × (1 − 15%)`. */
export function calculation(line: BillLine, discountPercent: string): string {
  const rate = fullRate(line);
  const discount = isZero(discountPercent) ? '' : ` × (1 − ${trimZeros(discountPercent)}%)`;
  return `${count(line.quantity)} ${line.unit} × ${rate}${discount}`;
}
