import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { minBigInt } from '@tollgate/common/money';
import type { CappedKey, CreditManager, Hold, UnavailableReason } from '../credit/index.ts';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import { affordableOutputTokens, maxCostNanos, type RequestPrice } from '../pricing/request-price.ts';

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
}

/**
 * Holds the maximum cost of a request. Where the client set no output limit, it is lowered to what the balance, the rest of
 * a cap of the key, and the largest charge that the ledger accepts can pay for, down to `minOutputTokens`.
 *
 * @returns undefined when the client has disconnected
 * @throws ApiError for a request that can cost more than the largest charge (400), an insufficient balance or a reached cap
 *   (402 or 400), credit held by open requests (429), or an unavailable ledger (503)
 */
export async function takeHold(credit: CreditManager, terms: HoldTerms): Promise<GrantedHold | undefined> {
  const costNanos = nanosFor(terms, terms.outputTokens);
  const minTokens = Math.min(terms.minOutputTokens, terms.outputTokens);
  const minNanos = terms.isLimitFixed ? costNanos : nanosFor(terms, minTokens);
  if (minNanos > MAX_CHARGE_NANOS) {
    throw apiErrors.beyondLargestCharge({
      neededNanos: minNanos,
      largestNanos: MAX_CHARGE_NANOS,
      affordableOutputTokens: affordableFor(terms, MAX_CHARGE_NANOS),
    });
  }
  const maxNanos = minBigInt(costNanos, MAX_CHARGE_NANOS);
  const { accountId } = terms.key;
  const pending = credit.hold({ accountId, maxNanos, minNanos, capped: cappedKey(terms), signal: terms.signal });
  const result = pending instanceof Promise ? await pending : pending;
  switch (result.kind) {
    case 'held': {
      const { hold } = result;
      const isLowered = hold.nanos < costNanos;
      return {
        hold,
        outputTokens: isLowered ? affordablePerChoice(terms, hold.nanos) : undefined,
        atLargestCharge: isLowered && hold.nanos === MAX_CHARGE_NANOS,
      };
    }
    case 'insufficient':
      throw apiErrors.insufficientBalance({
        neededNanos: minNanos,
        balanceNanos: result.balanceNanos,
        affordableOutputTokens: affordableFor(terms, result.balanceNanos),
        rechargeUrl: terms.rechargeUrl,
        status: terms.insufficientStatus,
      });
    case 'capped':
      throw apiErrors.capReached({
        neededNanos: minNanos,
        cap: result.cap,
        affordableOutputTokens: affordableFor(terms, result.cap.leftNanos),
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

function nanosFor(terms: HoldTerms, outputTokens: number): bigint {
  const output = BigInt(outputTokens) * BigInt(terms.choices) + BigInt(terms.extraOutputTokens);
  return maxCostNanos(terms.price, { ...promptOf(terms), outputTokens: output });
}

/** The key with its caps; undefined for a key without any. */
function cappedKey({ key, startedAtMs }: HoldTerms): CappedKey | undefined {
  if (key.caps === undefined) return undefined;
  return { keyId: key.keyId, caps: key.caps, revision: key.revision, startedAtMs };
}

/** Output tokens that an amount pays for in addition to the input; undefined where none are generated. */
function affordableFor(terms: HoldTerms, nanos: bigint): number | undefined {
  return terms.outputTokens === 0 ? undefined : Math.max(0, affordablePerChoice(terms, nanos));
}

function affordablePerChoice(terms: HoldTerms, nanos: bigint): number {
  const affordable = affordableOutputTokens(terms.price, promptOf(terms), nanos) - BigInt(terms.extraOutputTokens);
  return Math.min(Number(affordable / BigInt(terms.choices)), terms.outputTokens);
}

/** Tools that the provider would run, such as searches, are not forwarded. */
function promptOf({ inputTokens, images }: HoldTerms) {
  return { inputTokens: BigInt(inputTokens), images: BigInt(images), searches: 0n };
}
