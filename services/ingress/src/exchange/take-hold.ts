import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { minBigInt } from '@tollgate/common/money';
import { NO_WEB_USES, type WebUses } from '@tollgate/protocols/interface/web-tools';
import type { CappedKey, CreditManager, Hold, UnavailableReason } from '../credit/index.ts';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import { affordableOutputTokens, maxCostNanos, type RequestPrice } from '../pricing/request-price.ts';
import { billedSearches, inputTokensWithUses, limitUses, possibleUses, type WebTerms } from '../pricing/web-bound.ts';

/** The maximum that a request can use, and whether its output limit can be lowered. */
export interface HoldTerms {
  key: AuthenticatedKey;
  price: RequestPrice;
  inputTokens: number;
  /** Images in the input. */
  images: number;
  /** Maximum output tokens per choice; 0 where nothing is generated. */
  outputTokens: number;
  /** Output tokens billed in addition to the limit. */
  extraOutputTokens: number;
  choices: number;
  /** Searches and fetches that the provider may run; undefined for none. */
  web?: WebTerms | undefined;
  /** The client set the output limit, so the gateway may not lower it. */
  isLimitFixed: boolean;
  /** Minimum output tokens per choice that are worth a call. */
  minOutputTokens: number;
  /** The endpoint's status for an insufficient balance. */
  insufficientStatus: 400 | 402;
  rechargeUrl: string;
  /** When the request started, which decides the day and month its key's caps count it in; Unix milliseconds. */
  startedAtMs: number;
  signal: AbortSignal;
}

/** Credit held for a request. */
export interface GrantedHold {
  hold: Hold;
  /** The lowered limit per choice, where the hold is less than the maximum cost; undefined otherwise. */
  outputTokens: number | undefined;
  /** Whether the largest charge lowered that limit, not the balance or a cap. */
  atLargestCharge: boolean;
  /** The uses of web tools that it pays for. */
  webUses: WebUses;
  /** The maximum that it pays for. */
  maxInputTokens: number;
  maxSearches: number;
}

/**
 * Holds the maximum cost of a request. The uses of web tools are lowered to what the balance pays for. Where the client set
 * no output limit, it is lowered to what the balance, the rest of a cap of the key, and the largest charge that the ledger
 * accepts can pay for, down to `minOutputTokens`.
 *
 * @returns undefined when the client has disconnected
 * @throws ApiError for a request that can cost more than the largest charge (400), an insufficient balance or a reached cap
 *   (402 or 400), credit held by open requests (429), or an unavailable ledger (503)
 */
export async function takeHold(credit: CreditManager, terms: HoldTerms): Promise<GrantedHold | undefined> {
  const possible = terms.web === undefined ? [0] : possibleUses(terms.web);
  const most = withUses(terms, possible[0] ?? 0);
  const least = withUses(terms, possible.at(-1) ?? 0);
  const costNanos = nanosFor(most, most.outputTokens);
  const minTokens = Math.min(terms.minOutputTokens, terms.outputTokens);
  const minNanos = nanosFor(least, terms.isLimitFixed ? least.outputTokens : minTokens);
  if (minNanos > MAX_CHARGE_NANOS) {
    throw apiErrors.beyondLargestCharge({
      neededNanos: minNanos,
      largestNanos: MAX_CHARGE_NANOS,
      affordableOutputTokens: affordableFor(least, MAX_CHARGE_NANOS),
    });
  }
  const maxNanos = minBigInt(costNanos, MAX_CHARGE_NANOS);
  const { accountId } = terms.key;
  const pending = credit.hold({ accountId, maxNanos, minNanos, capped: cappedKey(terms), signal: terms.signal });
  const result = pending instanceof Promise ? await pending : pending;
  switch (result.kind) {
    case 'held': {
      const { hold } = result;
      const paid = hold.nanos >= costNanos ? most : affordableUses(terms, possible, hold.nanos);
      const isLowered = hold.nanos < nanosFor(paid, paid.outputTokens);
      return {
        hold,
        outputTokens: isLowered ? affordablePerChoice(paid, hold.nanos) : undefined,
        atLargestCharge: isLowered && hold.nanos === MAX_CHARGE_NANOS,
        webUses: paid.uses,
        maxInputTokens: paid.inputTokens,
        maxSearches: paid.searches,
      };
    }
    case 'insufficient':
      throw apiErrors.insufficientBalance({
        neededNanos: minNanos,
        balanceNanos: result.balanceNanos,
        affordableOutputTokens: affordableFor(least, result.balanceNanos),
        rechargeUrl: terms.rechargeUrl,
        status: terms.insufficientStatus,
      });
    case 'capped':
      throw apiErrors.capReached({
        neededNanos: minNanos,
        cap: result.cap,
        affordableOutputTokens: affordableFor(least, result.cap.leftNanos),
        rechargeUrl: terms.rechargeUrl,
        status: terms.insufficientStatus,
      });
    case 'busy':
      throw result.cap === undefined
        ? apiErrors.creditHeld(result.retryAfterMs)
        : apiErrors.capHeld(result.cap, result.retryAfterMs);
    case 'suspended':
      throw apiErrors.accountInDebt(terms.key.credential);
    case 'unavailable':
      throw unavailable(result.reason);
    case 'aborted':
      return undefined;
    default:
      return result satisfies never;
  }
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

/** The terms of a request with a number of uses of its web tools. */
interface BoundTerms extends HoldTerms {
  uses: WebUses;
  searches: number;
}

function withUses(terms: HoldTerms, max: number): BoundTerms {
  const { web } = terms;
  if (web === undefined) return { ...terms, uses: NO_WEB_USES, searches: 0 };
  const uses = limitUses(web, max);
  const outputTokens = terms.outputTokens * terms.choices + terms.extraOutputTokens;
  const inputTokens = inputTokensWithUses(web, uses, { inputTokens: terms.inputTokens, outputTokens });
  return { ...terms, inputTokens, uses, searches: billedSearches(web, uses) };
}

/**
 * As many uses as an amount pays for together with the whole output. If that is none, one with less output, where that
 * may be lowered.
 */
function affordableUses(terms: HoldTerms, possible: readonly number[], nanos: bigint): BoundTerms {
  const whole = possible.find((max) => max > 0 && nanosFor(withUses(terms, max), terms.outputTokens) <= nanos);
  if (whole !== undefined) return withUses(terms, whole);
  const fewest = withUses(terms, possible.findLast((max) => max > 0) ?? 0);
  const minTokens = Math.min(terms.minOutputTokens, terms.outputTokens);
  const isPaid = nanosFor(fewest, terms.isLimitFixed ? terms.outputTokens : minTokens) <= nanos;
  return isPaid ? fewest : withUses(terms, 0);
}

function nanosFor(terms: BoundTerms, outputTokens: number): bigint {
  const output = BigInt(outputTokens) * BigInt(terms.choices) + BigInt(terms.extraOutputTokens);
  return maxCostNanos(terms.price, { ...promptOf(terms), outputTokens: output });
}

/** The key with its caps; undefined for a key without any. */
function cappedKey({ key, startedAtMs }: HoldTerms): CappedKey | undefined {
  if (key.caps === undefined) return undefined;
  return { keyId: key.keyId, caps: key.caps, revision: key.revision, startedAtMs };
}

/** Output tokens that an amount pays for in addition to the input; undefined where none are generated. */
function affordableFor(terms: BoundTerms, nanos: bigint): number | undefined {
  return terms.outputTokens === 0 ? undefined : Math.max(0, affordablePerChoice(terms, nanos));
}

function affordablePerChoice(terms: BoundTerms, nanos: bigint): number {
  const affordable = affordableOutputTokens(terms.price, promptOf(terms), nanos) - BigInt(terms.extraOutputTokens);
  return Math.min(Number(affordable / BigInt(terms.choices)), terms.outputTokens);
}

function promptOf({ inputTokens, images, searches }: BoundTerms) {
  return { inputTokens: BigInt(inputTokens), images: BigInt(images), searches: BigInt(searches) };
}
