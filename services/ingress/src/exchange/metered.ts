import { LARGEST_CHARGE_NANOS, LARGEST_QUANTITY } from '@tollgate/common/charge-bounds';
import { loadCounter } from '@tollgate/protocols/tokens/counter';
import { BUCKET_NAMES, claimsNoOutput, type ReportedFigures, type Usage, usageOf } from '@tollgate/protocols/usage';
import { priceUsage } from '../pricing/request-price.ts';
import type { Exchange } from './exchange.ts';

/** What was seen of an answer, from which its usage follows. */
export interface Observed {
  /** As the upstream reported it; undefined when it did not. */
  reported: Usage | undefined;
  /** Figures of its report that are no usage. */
  unreadable: ReportedFigures | undefined;
  /** All text that was generated and seen: content, reasoning, refusals, tool arguments. */
  text: string;
  /** The end of that text which came after the report, and is not in it. */
  unreported: string;
  /** Bytes of the body that the upstream was sent. */
  sentBytes: number;
}

export interface Metered {
  usage: Usage;
  /** The usage was counted by us, at least in part, since the upstream gave none or one that cannot be. */
  estimated: boolean;
  /** What the upstream reported, by bucket, where not all of it was believed. */
  disbelieved: ReportedFigures | undefined;
}

/** What a usage is judged by. */
export type MeteredCall = Pick<Exchange, 'countInput' | 'mostInputTokens' | 'mostOutputTokens' | 'price' | 'images'>;

/** A report of more than so many times what a request can use is no miscounting. */
const BELIEVABLE_TIMES = 10;

/** Which parts of a report are believed. */
interface Fitting {
  input: boolean;
  output: boolean;
  searches: boolean;
}

const NONE_FITS: Fitting = { input: false, output: false, searches: false };

/**
 * The usage of an answer: the upstream's report where there is one that can be, else a tokenizer's count of what went in
 * and came out. Input and output are judged each by itself:
 *
 * - No input at all is no report of it, since no prompt is empty.
 * - No output beside delivered text is no report either: it is what is known of an answer that broke off, or a mistake.
 * - Text that came after the last report is counted on top of it.
 * - More than ten times what the request can use is not believed, and nothing of a report is where the ledger would not
 *   take the charge, with what is counted beside it.
 *
 * The tokens of the upstream may be others than ours, so that a count is held to the bound of the request. Input is
 * counted in the client's own words, of which the upstream may not have been sent all: a token is at least a byte of that.
 */
export async function meter(observed: Observed, call: MeteredCall): Promise<Metered> {
  const told = observed.reported ?? usageOf({});
  const metered = await meterBelieving(observed, told, whatFits(told, call), call);
  if (observed.reported === undefined) return metered;
  const { costNanos } = priceUsage(call.price, metered.usage, call.images);
  return costNanos <= LARGEST_CHARGE_NANOS ? metered : meterBelieving(observed, told, NONE_FITS, call);
}

async function meterBelieving(
  { reported, unreadable, text, unreported, sentBytes }: Observed,
  told: Usage,
  fits: Fitting,
  call: MeteredCall,
): Promise<Metered> {
  const hasInput = fits.input && inputOf(told) > 0;
  const hasOutput = fits.output && reported !== undefined && !(claimsNoOutput(told) && text !== '');
  const isBelieved = fits.input && fits.output && fits.searches;
  if (isBelieved && hasInput && hasOutput && unreported === '' && unreadable === undefined) {
    return { usage: told, estimated: false, disbelieved: undefined };
  }
  const input = hasInput ? 0 : Math.min(await call.countInput(), call.mostInputTokens, sentBytes);
  const uncounted = hasOutput ? unreported : text;
  const counted = uncounted === '' ? 0 : await (await loadCounter())(uncounted);
  const output = hasOutput ? told.output : 0;
  const room = Math.max(0, call.mostOutputTokens - (hasOutput ? output + told.reasoning : 0));
  return {
    usage: {
      ...(hasInput ? told : usageOf({ input })),
      output: output + Math.min(counted, room),
      reasoning: hasOutput ? told.reasoning : 0,
      search: fits.searches ? told.search : 0,
    },
    estimated: true,
    disbelieved: unreadable ?? (isBelieved ? undefined : figuresOf(told)),
  };
}

/** Which parts of a report can be, each by itself. */
function whatFits(told: Usage, { mostInputTokens, mostOutputTokens }: MeteredCall): Fitting {
  return {
    input: isBelievable(inputOf(told), mostInputTokens),
    output: isBelievable(told.output + told.reasoning, mostOutputTokens),
    // No request is passed on that lets the provider search.
    searches: isBelievable(told.search, 0),
  };
}

function isBelievable(tokens: number, most: number): boolean {
  return tokens <= Math.min(BELIEVABLE_TIMES * Math.max(most, 1), Number(LARGEST_QUANTITY));
}

function inputOf(usage: Usage): number {
  return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
}

function figuresOf(usage: Usage): ReportedFigures {
  return Object.fromEntries(BUCKET_NAMES.filter((name) => usage[name] > 0).map((name) => [name, usage[name]]));
}
