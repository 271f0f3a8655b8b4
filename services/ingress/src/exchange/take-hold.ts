import { LARGEST_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import type { CappedKey, CreditManager, Hold, UnavailableReason } from '../credit/index.ts';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import { affordableOutputTokens, boundNanos, type RequestPrice } from '../pricing/request-price.ts';

/** The most a request can use, and whose the output limit is. */
export interface HoldNeed {
  key: AuthenticatedKey;
  price: RequestPrice;
  inputTokens: number;
  /** Images of the input. */
  images: number;
  /** Output tokens of each choice at most; 0 where nothing is generated. */
  outputTokens: number;
  /** Output tokens billed whatever the limit is. */
  extraOutputTokens: number;
  choices: number;
  /** The client set the output limit itself, so that it is not ours to lower. */
  limitIsClients: boolean;
  /** Fewest output tokens of each choice worth a call. */
  floorTokens: number;
  /** 402 or 400 for a balance that is too small, by the endpoint. */
  shortageStatus: 400 | 402;
  rechargeUrl: string;
  /** When the request started, which decides the day and month its key's caps count it in; Unix milliseconds. */
  startedAtMs: number;
  signal: AbortSignal;
}

/** Credit held for a request. */
export interface HeldCredit {
  hold: Hold;
  /** The limit to send for each choice, where less is held than the request can cost; undefined where it all is. */
  outputTokens: number | undefined;
  /** The largest charge lowered that limit, and neither the balance nor a cap. */
  atLargestCharge: boolean;
}

/**
 * Holds the most a request can cost. Where the client set no output limit and the whole balance, or what is left of a cap
 * of the key, cannot cover the model's own, the limit becomes what is affordable, down to the floor. So it does where the
 * model's own limit could cost more than the largest charge that the ledger records.
 *
 * @returns undefined when the client has left meanwhile
 * @throws ApiError for a request that can cost more than the largest charge (400), want of balance or a reached cap (402
 *   or 400), credit held by open requests (429), or no ledger (503)
 */
export async function takeHold(credit: CreditManager, need: HoldNeed): Promise<HeldCredit | undefined> {
  const worstNanos = nanosFor(need, need.outputTokens);
  const floor = Math.min(need.floorTokens, need.outputTokens);
  const minNanos = need.limitIsClients ? worstNanos : nanosFor(need, floor);
  if (minNanos > LARGEST_CHARGE_NANOS) {
    throw apiErrors.beyondLargestCharge({
      neededNanos: minNanos,
      largestNanos: LARGEST_CHARGE_NANOS,
      affordableOutputTokens: affordableFor(need, LARGEST_CHARGE_NANOS),
    });
  }
  const maxNanos = worstNanos < LARGEST_CHARGE_NANOS ? worstNanos : LARGEST_CHARGE_NANOS;
  const { accountId } = need.key;
  const pending = credit.hold({ accountId, maxNanos, minNanos, capped: cappedKey(need), signal: need.signal });
  const result = pending instanceof Promise ? await pending : pending;
  switch (result.kind) {
    case 'held': {
      const { hold } = result;
      const binds = hold.nanos < worstNanos;
      return {
        hold,
        outputTokens: binds ? affordablePerChoice(need, hold.nanos) : undefined,
        atLargestCharge: binds && hold.nanos === LARGEST_CHARGE_NANOS,
      };
    }
    case 'insufficient':
      throw apiErrors.insufficientBalance({
        neededNanos: minNanos,
        balanceNanos: result.balanceNanos,
        affordableOutputTokens: affordableFor(need, result.balanceNanos),
        rechargeUrl: need.rechargeUrl,
        status: need.shortageStatus,
      });
    case 'capped':
      throw apiErrors.capReached({
        neededNanos: minNanos,
        cap: result.cap,
        affordableOutputTokens: affordableFor(need, result.cap.leftNanos),
        rechargeUrl: need.rechargeUrl,
        status: need.shortageStatus,
      });
    case 'busy':
      throw result.cap === undefined
        ? apiErrors.creditHeld(result.retryAfterMs)
        : apiErrors.capHeld(result.cap, result.retryAfterMs);
    case 'suspended':
      throw apiErrors.refusedKey(need.key.credential, 'account_suspended');
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
      return apiErrors.unavailable('The ledger');
    default:
      return reason satisfies never;
  }
}

function nanosFor(need: HoldNeed, outputTokens: number): bigint {
  const output = BigInt(outputTokens) * BigInt(need.choices) + BigInt(need.extraOutputTokens);
  return boundNanos(need.price, { ...promptOf(need), outputTokens: output });
}

/** What the key's caps are judged by; undefined for a key without any. */
function cappedKey({ key, startedAtMs }: HoldNeed): CappedKey | undefined {
  if (key.caps === undefined) return undefined;
  return { keyId: key.keyId, caps: key.caps, revision: key.revision, startedAtMs };
}

/** Output tokens that an amount pays for beside the input; undefined where none are generated. */
function affordableFor(need: HoldNeed, nanos: bigint): number | undefined {
  return need.outputTokens === 0 ? undefined : Math.max(0, affordablePerChoice(need, nanos));
}

function affordablePerChoice(need: HoldNeed, nanos: bigint): number {
  const affordable = affordableOutputTokens(need.price, promptOf(need), nanos) - BigInt(need.extraOutputTokens);
  return Math.min(Number(affordable / BigInt(need.choices)), need.outputTokens);
}

/** Tools that the provider would run, searches among them, are not passed on. */
function promptOf({ inputTokens, images }: HoldNeed) {
  return { inputTokens: BigInt(inputTokens), images: BigInt(images), searches: 0n };
}
