import { MAX_CHARGE_NANOS, MAX_QUANTITY } from '@tollgate/common/charge-bounds';
import {
  BUCKET_NAMES,
  claimsNoOutput,
  inputTokensOf,
  type ReportedFigures,
  type Usage,
  usageOf,
  writtenTokensOf,
} from '@tollgate/protocols/canonical/usage';
import type { UsageDetails } from '@tollgate/protocols/canonical/usage-report';
import { loadCounter } from '@tollgate/protocols/tokens/counter';
import { withLifetime, withReport } from '../shared/catalogue/price-options.ts';
import { INPUT_BUCKETS } from '../shared/catalogue/price-sheet.ts';
import { type PricedUsage, priceUsage, type SentPrice } from '../shared/catalogue/request-price.ts';
import type { Exchange } from './exchange.ts';

/** What was observed of a response, from which its usage is derived. */
export interface ObservedResponse {
  /** The usage that the upstream reported; undefined when it did not. */
  reported: Usage | undefined;
  /** What else the upstream reported of the call. */
  details?: UsageDetails | undefined;
  /** Figures of its report that could not be read as usage. */
  unreadable: ReportedFigures | undefined;
  /** All generated text: content, reasoning, refusals, tool arguments. */
  text: string;
  /** The end of the text that came after the report, which does not include it. */
  unreported: string;
  /** Size of the body sent to the upstream. */
  sentBytes: number;
  /** Searches seen in a response without a final report; 0 if absent. */
  searches?: number;
  /** Likewise, how often the model has read the conversation again; 0 if absent. */
  repeatedPrompts?: number;
}

export interface MeteredUsage {
  usage: Usage;
  /** Its price at the deployment that was called. */
  priced: PricedUsage;
  /** Whether the gateway counted at least a part, because the upstream reported none or implausible figures. */
  estimated: boolean;
  /** The figures that the upstream reported, by bucket, where some are implausible. */
  implausible: ReportedFigures | undefined;
  /** What else the upstream reported of the call, such as what it charges the operator. */
  details?: UsageDetails | undefined;
}

/** What decides whether a usage is plausible. */
export type MeteredCall = Pick<
  Exchange,
  'countInput' | 'maxInputTokens' | 'maxOutputTokens' | 'maxSearches' | 'billsSearchesOnce' | 'price' | 'images'
>;

/** A report beyond this many times the maximum of a request is not a difference in counting. */
const PLAUSIBLE_FACTOR = 10;

/** What a reported search may have added to the request's maximum of input: some providers search on their own. */
const FOUND_TOKENS = 10_000;

/** Which parts of a report are plausible. */
interface PlausibleParts {
  input: boolean;
  output: boolean;
  searches: boolean;
}

const NOTHING_PLAUSIBLE: PlausibleParts = { input: false, output: false, searches: false };

/**
 * The usage of a response: the upstream's report where it is plausible, otherwise a tokenizer's count of input and output.
 * Input and output are checked separately:
 *
 * - An input of zero counts as not reported, since no prompt is empty.
 * - An output of zero beside delivered text counts as not reported: the response was interrupted, or the report is wrong.
 * - Text that came after the last report is counted in addition to it.
 * - A response without a final report has its prompt once more for each use of a tool that the provider ran, without what was
 *   found. What the first call wrote to a cache, the others read.
 * - More than ten times the maximum of the request is implausible. So is the complete report where the ledger would reject
 *   the charge, including what is counted in addition.
 * - Searches are plausible however many they are, since nothing else shows how many were run: what they cost beyond the hold is
 *   the operator's loss. Where the ledger would reject them, the maximum of the request counts.
 *
 * The upstream's tokenizer may differ from ours, so a count never exceeds the request's maximum. Input is counted in the
 * client's text, but the upstream may have received only a part of it: a token has at least one byte of what was sent.
 *
 * @param sent what decides the price besides the usage; the list price if absent
 * @returns a promise only if something must be counted
 */
export function meter(
  observed: ObservedResponse,
  call: MeteredCall,
  sent?: SentPrice,
): MeteredUsage | Promise<MeteredUsage> {
  const reported = withSearches(observed.reported ?? usageOf({}), observed.searches ?? 0, call);
  const plausible = plausibleParts(reported, call);
  if (!isCompleteReport(observed, reported, plausible)) {
    return meterCounting(observed, reported, plausible, call, sent);
  }
  const metered = meteredUsage(asReported(reported), observed.details, call, sent);
  if (metered.priced.costNanos <= MAX_CHARGE_NANOS) return metered;
  return meterCounting(observed, reported, NOTHING_PLAUSIBLE, call, sent);
}

/** The usage of a response that the provider does not bill. */
export function meterNothing(call: MeteredCall, sent: SentPrice): MeteredUsage {
  return meteredUsage(asReported(usageOf({})), undefined, call, sent);
}

type Counted = Pick<MeteredUsage, 'usage' | 'estimated' | 'implausible'>;

function asReported(usage: Usage): Counted {
  return { usage, estimated: false, implausible: undefined };
}

function meteredUsage(
  { usage, estimated, implausible }: Counted,
  details: UsageDetails | undefined,
  { price, images }: MeteredCall,
  sent: SentPrice | undefined,
): MeteredUsage {
  const used = withReport(withLifetime(usage, sent?.cacheLifetime), details);
  return { usage: used, priced: priceUsage(price, used, images, sent), estimated, implausible, details };
}

async function meterCounting(
  observed: ObservedResponse,
  reported: Usage,
  plausible: PlausibleParts,
  call: MeteredCall,
  sent: SentPrice | undefined,
): Promise<MeteredUsage> {
  const counted = await count(observed, reported, plausible, call);
  const metered = meteredUsage(counted, observed.details, call, sent);
  if (observed.reported === undefined || metered.priced.costNanos <= MAX_CHARGE_NANOS) return metered;
  return meteredUsage(await count(observed, reported, NOTHING_PLAUSIBLE, call), observed.details, call, sent);
}

/** Which parts of a report are used as they are. */
function usedParts({ reported, text }: ObservedResponse, usage: Usage, plausible: PlausibleParts) {
  return {
    input: plausible.input && inputTokensOf(usage) > 0,
    output: plausible.output && reported !== undefined && !(claimsNoOutput(usage) && text !== ''),
  };
}

/** Whether a report is the usage as it is. */
function isCompleteReport(observed: ObservedResponse, usage: Usage, plausible: PlausibleParts): boolean {
  const { unreadable, unreported, repeatedPrompts = 0 } = observed;
  const used = usedParts(observed, usage, plausible);
  const isComplete = unreported === '' && unreadable === undefined && repeatedPrompts === 0;
  return isComplete && used.input && used.output && plausible.searches;
}

async function count(
  observed: ObservedResponse,
  usage: Usage,
  plausible: PlausibleParts,
  call: MeteredCall,
): Promise<Counted> {
  const { unreadable, text, unreported, sentBytes, repeatedPrompts = 0 } = observed;
  const { input: hasInput, output: hasOutput } = usedParts(observed, usage, plausible);
  const allPlausible = plausible.input && plausible.output && plausible.searches;
  const input = hasInput ? 0 : Math.min(await call.countInput(), call.maxInputTokens, sentBytes);
  const uncounted = hasOutput ? unreported : text;
  const counted = uncounted === '' ? 0 : await (await loadCounter())(uncounted);
  const output = hasOutput ? usage.output : 0;
  const room = Math.max(0, call.maxOutputTokens - (hasOutput ? output + usage.reasoning : 0));
  return {
    usage: {
      ...withRepeats(hasInput ? usage : usageOf({ input }), repeatedPrompts, call.maxInputTokens),
      output: output + Math.min(counted, room),
      reasoning: hasOutput ? usage.reasoning : 0,
      search: plausible.searches ? usage.search : Math.min(usage.search, call.maxSearches),
    },
    estimated: true,
    implausible: unreadable ?? (allPlausible ? undefined : figuresOf(usage)),
  };
}

/** The usage of a first call and of others with the same prompt, as far as the hold covers them. */
function withRepeats(first: Usage, repeats: number, maxInputTokens: number): Usage {
  const prompt = inputTokensOf(first);
  const covered = Math.floor(Math.max(0, maxInputTokens - prompt) / Math.max(1, prompt));
  const times = Math.min(repeats, covered);
  const { input, cache_read: read } = first;
  return { ...first, input: input * (1 + times), cache_read: read + times * (read + writtenTokensOf(first)) };
}

/** The usage with the searches that are billed. */
function withSearches(usage: Usage, seen: number, { billsSearchesOnce }: MeteredCall): Usage {
  const most = Math.max(usage.search, seen);
  const search = billsSearchesOnce ? Math.min(most, 1) : most;
  return search === usage.search ? usage : { ...usage, search };
}

/** Checks each part of a report separately. */
function plausibleParts(usage: Usage, { maxInputTokens, maxOutputTokens, maxSearches }: MeteredCall): PlausibleParts {
  const searches = usage.search <= MAX_QUANTITY;
  const found = searches ? Math.min(usage.search, PLAUSIBLE_FACTOR * Math.max(maxSearches, 1)) * FOUND_TOKENS : 0;
  return {
    input: isPlausible(inputTokensOf(usage), maxInputTokens + found),
    output: isPlausible(usage.output + usage.reasoning, maxOutputTokens),
    searches,
  };
}

/** Whether the input of a report is beyond what a request of that maximum is believed to have. */
export function isInputBeyond(
  figures: ReportedFigures | undefined,
  { maxInputTokens }: Pick<MeteredCall, 'maxInputTokens'>,
): boolean {
  const counts = INPUT_BUCKETS.map((bucket) => figures?.[bucket]).filter((figure) => typeof figure === 'number');
  return !isPlausible(
    counts.reduce((sum, count) => sum + count, 0),
    maxInputTokens,
  );
}

function isPlausible(tokens: number, max: number): boolean {
  return tokens <= Math.min(PLAUSIBLE_FACTOR * Math.max(max, 1), Number(MAX_QUANTITY));
}

function figuresOf(usage: Usage): ReportedFigures {
  return Object.fromEntries(BUCKET_NAMES.filter((name) => usage[name] > 0).map((name) => [name, usage[name]]));
}
