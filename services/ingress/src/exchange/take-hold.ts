import type { CapPeriodLabel } from '@tollgate/common/cap-periods';
import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { minBigInt } from '@tollgate/common/money';
import { type HostedUses, NO_HOSTED_USES } from '@tollgate/protocols/interface/hosted-tools';
import {
  billedSearches,
  type HostedTerms,
  inputTokensWithUses,
  limitUses,
  possibleUses,
} from '../plan/generate/hosted-bound.ts';
import { affordableOutputTokens, maxCostNanos, type RequestPrice } from '../shared/catalogue/request-price.ts';
import { type ApiError, apiErrors } from '../shared/errors/api-error.ts';
import type { AuthenticatedKey } from '../shared/request/request-context.ts';
import type { CappedKey, CreditManager, Hold, UnavailableReason } from '../wallet/index.ts';

/** Whose credit is held, and for what price. */
export interface Payer {
  key: AuthenticatedKey;
  price: RequestPrice;
  rechargeUrl: string;
  /** Undefined: there is no console in which caps are raised. */
  consoleUrl: string | undefined;
  /** When the request started, which decides the day and month its key's caps count it in; Unix milliseconds. */
  startedAtMs: number;
  signal: AbortSignal;
}

/** The maximum that a request can use, and whether its output limit can be lowered. */
export interface HoldTerms {
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
  /** The endpoint's status for an insufficient balance. */
  insufficientStatus: 400 | 402;
}

/** Credit held for a request. */
export interface GrantedHold {
  hold: Hold;
  /** The lowered limit per choice, where the hold is less than the maximum cost; undefined otherwise. */
  outputTokens: number | undefined;
  /** Whether the largest charge lowered that limit, not the balance or a cap. */
  atLargestCharge: boolean;
  /** The uses of hosted tools that it pays for. */
  hostedUses: HostedUses;
  /** The maximum that it pays for. */
  maxInputTokens: number;
  maxSearches: number;
}

/**
 * Holds the maximum cost of a request. The uses of hosted tools are lowered to what the balance pays for. Where the client set
 * no output limit, it is lowered to what the balance, the rest of a cap of the key, and the largest charge that the ledger
 * accepts can pay for, down to `minOutputTokens`.
 *
 * @returns undefined when the client has disconnected
 * @throws ApiError for a request that can cost more than the largest charge (400), an insufficient balance or a reached cap
 *   (402 or 400), credit held by open requests (429), or an unavailable ledger (503)
 */
export async function takeHold(
  credit: CreditManager,
  terms: HoldTerms,
  payer: Payer,
): Promise<GrantedHold | undefined> {
  const { price } = payer;
  const possible = terms.hosted === undefined ? NO_USES : possibleUses(terms.hosted);
  const most = boundWith(terms, possible[0] ?? 0);
  const least = possible.length === 1 ? most : boundWith(terms, possible.at(-1) ?? 0);
  const costNanos = nanosFor(price, terms, most, terms.outputTokens);
  const minTokens = terms.isLimitFixed ? terms.outputTokens : Math.min(terms.minOutputTokens, terms.outputTokens);
  const isFixed = least === most && minTokens === terms.outputTokens;
  const minNanos = isFixed ? costNanos : nanosFor(price, terms, least, minTokens);
  if (minNanos > MAX_CHARGE_NANOS) {
    throw apiErrors.beyondLargestCharge({
      neededNanos: minNanos,
      largestNanos: MAX_CHARGE_NANOS,
      affordableOutputTokens: affordableFor(price, terms, least, MAX_CHARGE_NANOS),
    });
  }
  const maxNanos = minBigInt(costNanos, MAX_CHARGE_NANOS);
  const { accountId } = payer.key;
  const pending = credit.hold({ accountId, maxNanos, minNanos, capped: cappedKey(payer), signal: payer.signal });
  const result = pending instanceof Promise ? await pending : pending;
  switch (result.kind) {
    case 'held': {
      const { hold } = result;
      const isWhole = hold.nanos >= costNanos;
      const paid = isWhole ? most : affordableUses(price, terms, possible, hold.nanos);
      const isLowered = !isWhole && hold.nanos < nanosFor(price, terms, paid, terms.outputTokens);
      return {
        hold,
        outputTokens: isLowered ? affordablePerChoice(price, terms, paid, hold.nanos) : undefined,
        atLargestCharge: isLowered && hold.nanos === MAX_CHARGE_NANOS,
        hostedUses: paid.uses,
        maxInputTokens: paid.inputTokens,
        maxSearches: paid.searches,
      };
    }
    case 'insufficient':
      throw apiErrors.insufficientBalance({
        neededNanos: minNanos,
        balanceNanos: result.balanceNanos,
        affordableOutputTokens: affordableFor(price, terms, least, result.balanceNanos),
        rechargeUrl: payer.rechargeUrl,
        status: terms.insufficientStatus,
      });
    case 'capped':
      throw apiErrors.capReached({
        neededNanos: minNanos,
        cap: result.cap,
        affordableOutputTokens: affordableFor(price, terms, least, result.cap.leftNanos),
        rechargeUrl: capUrl(payer, result.cap.period),
        status: terms.insufficientStatus,
      });
    case 'busy':
      throw result.cap === undefined
        ? apiErrors.creditHeld(result.retryAfterMs)
        : apiErrors.capHeld(result.cap, result.retryAfterMs);
    case 'suspended':
      throw apiErrors.accountInDebt(payer.key.credential, payer.rechargeUrl);
    case 'unavailable':
      throw unavailable(result.reason);
    case 'aborted':
      return undefined;
    default:
      return result satisfies never;
  }
}

/** The page where the cap of the key is raised. */
function capUrl({ key, consoleUrl, rechargeUrl }: Payer, period: CapPeriodLabel): string {
  if (consoleUrl === undefined) return rechargeUrl;
  return `${consoleUrl}/accounts/${key.accountId}/keys/${key.keyId}?raise=${period}`;
}

function unavailable(reason: UnavailableReason): ApiError {
  switch (reason) {
    case 'clock':
      return apiErrors.clockWrong();
    case 'journal':
      return apiErrors.unavailable('The charge journal');
    case 'ledger':
    case 'session':
      return apiErrors.unavailable('The ledger', 'ledger_unavailable');
    default:
      return reason satisfies never;
  }
}

/** The input of a request with a number of uses of its hosted tools. */
interface InputBound {
  uses: HostedUses;
  inputTokens: number;
  searches: number;
}

/** The numbers of uses of a request without hosted tools. */
const NO_USES: readonly number[] = [0];

function boundWith(
  { hosted, inputTokens, outputTokens, choices, extraOutputTokens }: HoldTerms,
  max: number,
): InputBound {
  if (hosted === undefined) return { uses: NO_HOSTED_USES, inputTokens, searches: 0 };
  const uses = limitUses(hosted, max);
  const prompt = { inputTokens, outputTokens: outputTokens * choices + extraOutputTokens };
  return { uses, inputTokens: inputTokensWithUses(hosted, uses, prompt), searches: billedSearches(hosted, uses) };
}

/**
 * As many uses as an amount pays for together with the whole output. If that is none, one with less output, where that
 * may be lowered.
 */
function affordableUses(price: RequestPrice, terms: HoldTerms, possible: readonly number[], nanos: bigint): InputBound {
  const isPaid = (bound: InputBound, outputTokens: number) => nanosFor(price, terms, bound, outputTokens) <= nanos;
  const whole = possible.find((max) => max > 0 && isPaid(boundWith(terms, max), terms.outputTokens));
  if (whole !== undefined) return boundWith(terms, whole);
  const fewest = boundWith(terms, possible.findLast((max) => max > 0) ?? 0);
  const minTokens = Math.min(terms.minOutputTokens, terms.outputTokens);
  return isPaid(fewest, terms.isLimitFixed ? terms.outputTokens : minTokens) ? fewest : boundWith(terms, 0);
}

function nanosFor(
  price: RequestPrice,
  { images, choices, extraOutputTokens }: HoldTerms,
  { inputTokens, searches }: InputBound,
  outputTokens: number,
): bigint {
  return maxCostNanos(price, {
    inputTokens: BigInt(inputTokens),
    outputTokens: BigInt(outputTokens) * BigInt(choices) + BigInt(extraOutputTokens),
    images: BigInt(images),
    searches: BigInt(searches),
  });
}

/** The key with its caps; undefined for a key without any. */
function cappedKey({ key, startedAtMs }: Payer): CappedKey | undefined {
  if (key.caps === undefined) return undefined;
  return { keyId: key.keyId, caps: key.caps, revision: key.revision, startedAtMs };
}

/** Output tokens that an amount pays for in addition to the input; undefined where none are generated. */
function affordableFor(price: RequestPrice, terms: HoldTerms, bound: InputBound, nanos: bigint): number | undefined {
  return terms.outputTokens === 0 ? undefined : Math.max(0, affordablePerChoice(price, terms, bound, nanos));
}

function affordablePerChoice(
  price: RequestPrice,
  { images, outputTokens, extraOutputTokens, choices }: HoldTerms,
  { inputTokens, searches }: InputBound,
  nanos: bigint,
): number {
  const bound = { inputTokens: BigInt(inputTokens), images: BigInt(images), searches: BigInt(searches) };
  const affordable = affordableOutputTokens(price, bound, nanos) - BigInt(extraOutputTokens);
  return Math.min(Number(affordable / BigInt(choices)), outputTokens);
}
