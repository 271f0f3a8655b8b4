import { markupOf } from '@tollgate/common/billing/price-rules';
import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import type { RequestedOption } from '@tollgate/protocols/canonical/price-options';
import { type HostedUses, NO_HOSTED_USES } from '@tollgate/protocols/interface/hosted-tools';
import type { Affordable, CallCost } from '../../exchange/take-hold.ts';
import {
  affordableOutputTokens,
  maxCostNanos,
  priceOfRequest,
  type RequestPrice,
} from '../../shared/catalogue/request-price.ts';
import type { RoutableModel } from '../../shared/catalogue/route-table.ts';
import { keyOf, type RequestContext } from '../../shared/request/request-context.ts';
import { billedSearches, type HostedTerms, inputTokensWithUses, limitUses, possibleUses } from './hosted-bound.ts';

/** The maximum that a request can use, and whether its output limit can be lowered. */
export interface QuoteTerms {
  inputTokens: number;
  /** Images in the input. */
  images: number;
  /** Maximum output tokens per choice; 0 where nothing is generated. */
  outputTokens: number;
  /** Output tokens billed in addition to the limit. */
  extraOutputTokens: number;
  choices: number;
  /** Searches and fetches that the provider may run; undefined for none. */
  hosted?: HostedTerms | undefined;
  /** The client set the output limit, so the gateway may not lower it. */
  isLimitFixed: boolean;
  /** Minimum output tokens per choice that are worth a call. */
  minOutputTokens: number;
}

/** The input of a request with a number of uses of its hosted tools. */
interface InputBound {
  uses: HostedUses;
  inputTokens: number;
  searches: number;
}

/** The numbers of uses of a request without hosted tools. */
const NO_USES: readonly number[] = [0];

/**
 * What a request may cost, at the price in effect when it started. The uses of hosted tools, and an output limit that the client
 * did not set, can be lowered to what an amount pays for.
 */
export class Quote implements CallCost {
  readonly price: RequestPrice;
  readonly maxNanos: bigint;
  readonly minNanos: bigint;
  readonly #terms: QuoteTerms;
  /** The numbers of uses of its hosted tools, most first. */
  readonly #possible: readonly number[];
  readonly #most: InputBound;
  readonly #least: InputBound;

  constructor(price: RequestPrice, terms: QuoteTerms) {
    this.price = price;
    this.#terms = terms;
    this.#possible = terms.hosted === undefined ? NO_USES : possibleUses(terms.hosted);
    this.#most = this.#boundWith(this.#possible[0] ?? 0);
    this.#least = this.#possible.length === 1 ? this.#most : this.#boundWith(this.#possible.at(-1) ?? 0);
    this.maxNanos = this.#nanosFor(this.#most, terms.outputTokens);
    const isFixed = this.#least === this.#most && this.#minOutputTokens === terms.outputTokens;
    this.minNanos = isFixed ? this.maxNanos : this.#nanosFor(this.#least, this.#minOutputTokens);
  }

  get images(): number {
    return this.#terms.images;
  }

  /** Output tokens that an amount pays for in addition to the input; undefined where none are generated. */
  affordableOutputTokens(nanos: bigint): number | undefined {
    return this.#terms.outputTokens === 0 ? undefined : Math.max(0, this.#affordablePerChoice(this.#least, nanos));
  }

  afford(nanos: bigint): Affordable {
    const { outputTokens, choices, extraOutputTokens } = this.#terms;
    const isWhole = nanos >= this.maxNanos;
    const paid = isWhole ? this.#most : this.#affordableUses(nanos);
    const isLowered = !isWhole && nanos < this.#nanosFor(paid, outputTokens);
    const lowered = isLowered ? this.#affordablePerChoice(paid, nanos) : undefined;
    return {
      outputTokens: lowered,
      atLargestCharge: isLowered && nanos === MAX_CHARGE_NANOS,
      hostedUses: paid.uses,
      maxInputTokens: paid.inputTokens,
      maxOutputTokens: (lowered ?? outputTokens) * choices + extraOutputTokens,
      maxSearches: paid.searches,
    };
  }

  get #minOutputTokens(): number {
    const { isLimitFixed, minOutputTokens, outputTokens } = this.#terms;
    return isLimitFixed ? outputTokens : Math.min(minOutputTokens, outputTokens);
  }

  #boundWith(max: number): InputBound {
    const { hosted, inputTokens, outputTokens, choices, extraOutputTokens } = this.#terms;
    if (hosted === undefined) return { uses: NO_HOSTED_USES, inputTokens, searches: 0 };
    const uses = limitUses(hosted, max);
    const prompt = { inputTokens, outputTokens: outputTokens * choices + extraOutputTokens };
    return { uses, inputTokens: inputTokensWithUses(hosted, uses, prompt), searches: billedSearches(hosted, uses) };
  }

  /**
   * As many uses as an amount pays for together with the whole output. If that is none, one with less output, where that
   * may be lowered.
   */
  #affordableUses(nanos: bigint): InputBound {
    const isPaid = (bound: InputBound, outputTokens: number) => this.#nanosFor(bound, outputTokens) <= nanos;
    const whole = this.#possible.find((max) => max > 0 && isPaid(this.#boundWith(max), this.#terms.outputTokens));
    if (whole !== undefined) return this.#boundWith(whole);
    const fewest = this.#boundWith(this.#possible.findLast((max) => max > 0) ?? 0);
    return isPaid(fewest, this.#minOutputTokens) ? fewest : this.#boundWith(0);
  }

  #nanosFor({ inputTokens, searches }: InputBound, outputTokens: number): bigint {
    const { images, choices, extraOutputTokens } = this.#terms;
    return maxCostNanos(this.price, {
      inputTokens: BigInt(inputTokens),
      outputTokens: BigInt(outputTokens) * BigInt(choices) + BigInt(extraOutputTokens),
      images: BigInt(images),
      searches: BigInt(searches),
    });
  }

  #affordablePerChoice({ inputTokens, searches }: InputBound, nanos: bigint): number {
    const { images, outputTokens, extraOutputTokens, choices } = this.#terms;
    const bound = { inputTokens: BigInt(inputTokens), images: BigInt(images), searches: BigInt(searches) };
    const affordable = affordableOutputTokens(this.price, bound, nanos) - BigInt(extraOutputTokens);
    return Math.min(Number(affordable / BigInt(choices)), outputTokens);
  }
}

/** The quote of a request for a model, with the prices and the discount of its account. @param options chosen at another price */
export function quoteFor(
  context: RequestContext,
  { model, prices, multipliersPpm }: RoutableModel,
  options: readonly RequestedOption[],
  terms: QuoteTerms,
): Quote {
  const { discountPpm, priceRules } = keyOf(context);
  const adjustment = { discountPpm, markupPpm: markupOf(priceRules, model.modelId) };
  return new Quote(priceOfRequest(prices, context.startedAtMs, adjustment, { options, multipliersPpm }), terms);
}
