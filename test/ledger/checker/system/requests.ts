import { minBigInt } from '@tollgate/common/money';
import type { Hold } from '@tollgate/ingress/wallet/credit/types';

/** One request of a client, as far as money is concerned. */
export interface Request {
  readonly id: string;
  readonly account: string;
  readonly startedAtMs: number;
  readonly max: bigint;
  readonly min: bigint;
  readonly keyId: string;
  /** Whether its key has spending caps. */
  readonly capped: boolean;
  /** The ingress that serves it. */
  readonly ingress: number;
  /** Aborted when its client disconnects. */
  readonly client: AbortController;
  /** The revision of the key's caps that it came with. */
  readonly revision: bigint;
  state: /** Its hold is awaited. */
    | 'waiting'
    | 'open'
    /** It is being charged: the end of the response has not reached the client. */
    | 'ending'
    /** The client has the buffered response. */
    | 'ended'
    /** Refused, released, or interrupted by a crash: nothing was delivered, and nothing is charged. */
    | 'gone'
    /** Interrupted by a crash while it was being charged, or its record was damaged: it may be charged or not. */
    | 'uncertain';
  hold: Hold | undefined;
  /** The response to its hold. */
  response: string | undefined;
  cost: bigint;
  /** The lowest balance while it waited. */
  lowestBalance: bigint;
}

export function payable({ hold, cost }: Request): bigint {
  const held = hold?.nanos ?? 0n;
  return minBigInt(cost, held);
}
