import { parseLosslessObject } from '../json/lossless.ts';
import { isRecord, isSet, type JsonRecord } from '../json/record.ts';
import type { Edit } from '../json/splice.ts';

/*
 * What an upstream charges the operator, which some report in their usage. Clients pay the gateway's price, so they get that
 * in its place.
 *
 * OpenRouter: `cost` in US dollars, `cost_details`; with the operator's own key (`is_byok`) `cost` is only its fee, and
 * `cost_details.upstream_inference_cost` comes on top. https://openrouter.ai/docs/guides/administration/usage-accounting
 * Perplexity: `cost.total_cost`, and in responses what each of its tools costs (`tool_calls_details`).
 * https://docs.perplexity.ai/api-reference/sonar-post
 * xAI: `cost_in_usd_ticks`, 10,000,000,000 of which are a dollar. https://docs.x.ai/developers/cost-tracking
 * DeepInfra: `estimated_cost`. Vercel: `cost` and `market_cost`.
 */

/** The members of a usage report that say what the upstream charges, besides `cost`. */
const COST_DETAILS = [
  'cost_details',
  'is_byok',
  'cost_in_usd_ticks',
  'cost_in_nano_usd',
  'estimated_cost',
  'total_cost',
  'market_cost',
  'tool_calls_details',
] as const;

/** The member of a response that holds its usage report. */
export type ReportField = 'usage' | 'usageMetadata';

const COST_DETAIL_EDITS: Readonly<Record<ReportField, readonly Edit[]>> = {
  usage: COST_DETAILS.map((name) => ({ op: 'remove', path: ['usage', name] })),
  usageMetadata: COST_DETAILS.map((name) => ({ op: 'remove', path: ['usageMetadata', name] })),
};

/** Removes the upstream's cost details from the report in the member `field`. */
export function costDetailEdits(field: ReportField): readonly Edit[] {
  return COST_DETAIL_EDITS[field];
}

/** Whether a usage report says what the upstream charges. */
export function hasUpstreamCost(usage: unknown): usage is JsonRecord {
  return isRecord(usage) && (isSet(usage['cost']) || COST_DETAILS.some((name) => usage[name] !== undefined));
}

/** A usage report for clients. */
export function withoutUpstreamCost({ cost: _cost, ...usage }: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => !COST_DETAILS.some((detail) => detail === name)));
}

/**
 * What the upstream charges for a call, in nano-dollars; undefined if it does not say so.
 *
 * @param usage the report
 * @param text the JSON object that contains the report: amounts are read from their digits
 * @param path of the report in it
 */
export function readUpstreamCost(usage: unknown, text: () => string, path: readonly string[]): bigint | undefined {
  if (!hasUpstreamCost(usage)) return undefined;
  let exact: unknown = parseLosslessObject(text());
  for (const key of path) exact = isRecord(exact) ? exact[key] : undefined;
  return isRecord(exact) ? costOf(exact) : undefined;
}

/** Amounts are plain numbers, text, or JSON.rawJSON objects. */
function costOf(usage: JsonRecord): bigint | undefined {
  const { cost, cost_details: details, cost_in_usd_ticks: ticks } = usage;
  const total = isRecord(cost) && !isRaw(cost) ? nanosOf(cost['total_cost']) : nanosOf(cost);
  const behind = isRecord(details) ? nanosOf(details['upstream_inference_cost']) : undefined;
  if (total !== undefined) return usage['is_byok'] === true ? total + (behind ?? 0n) : total;
  return (
    nanosOf(ticks, TICK_EXPONENT) ??
    nanosOf(usage['cost_in_nano_usd'], 0) ??
    nanosOf(usage['total_cost']) ??
    nanosOf(usage['estimated_cost']) ??
    behind
  );
}

const NANO_EXPONENT = 9;
const TICK_EXPONENT = -1;

/** More than any call costs: a million dollars. */
const MAX_NANOS = 10n ** 15n;

const DECIMAL = /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

/**
 * An amount in nano-dollars, rounded half to even; undefined if it is not one.
 *
 * @param exponent the power of ten that makes nano-dollars of the amount's unit
 */
function nanosOf(value: unknown, exponent = NANO_EXPONENT): bigint | undefined {
  const match = DECIMAL.exec(textOf(value));
  if (match === null) return undefined;
  const [, whole = '', fraction = '', power = '0'] = match;
  const digits = BigInt(whole + fraction);
  const shift = exponent + Number(power) - fraction.length;
  const nanos = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedQuotient(digits, 10n ** BigInt(-shift));
  return nanos <= MAX_NANOS ? nanos : undefined;
}

function textOf(value: unknown): string {
  // JSON.stringify writes a number that was parsed losslessly as it was.
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value;
  return isRaw(value) ? value.rawJSON : '';
}

function isRaw(value: unknown): value is { readonly rawJSON: string } {
  return isRecord(value) && typeof value['rawJSON'] === 'string' && Object.getPrototypeOf(value) === null;
}

function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}
