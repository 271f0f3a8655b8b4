import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { minBigInt } from '@tollgate/common/money';
import type { HostedUses } from '@tollgate/protocols/interface/hosted-tools';
import type { RequestPrice } from '../shared/catalogue/request-price.ts';
import { type ApiError, apiErrors } from '../shared/errors/api-error.ts';
import { type CapStatus, type CeilingStatus, isDerived, nodeOf, projectOf } from '../shared/limits/ceilings.ts';
import type { AuthenticatedKey } from '../shared/request/request-context.ts';
import type { CappedNode, CappedPath, Hold, UnavailableReason, Wallet } from '../wallet/index.ts';

/** What a call may cost. The plan of the call knows it. */
export interface CallCost {
  /** Fixed when the request started. */
  readonly price: RequestPrice;
  /** Images in the input. */
  readonly images: number;
  /** With all that the request asks for. */
  readonly maxNanos: bigint;
  /** With the least output and the fewest uses of hosted tools that it may be lowered to. */
  readonly minNanos: bigint;
  /** Output tokens that an amount pays for in addition to the input; undefined where none are generated. */
  affordableOutputTokens(nanos: bigint): number | undefined;
  /** What an amount of at least `minNanos` pays for. */
  afford(nanos: bigint): Affordable;
}

/** What an amount pays for. */
export interface Affordable {
  /** The lowered limit per choice, where the amount is less than the maximum cost; undefined otherwise. */
  readonly outputTokens: number | undefined;
  /** Whether the largest charge lowered that limit, not the balance or a cap. */
  readonly atLargestCharge: boolean;
  /** The uses of hosted tools that it pays for. */
  readonly hostedUses: HostedUses;
  /** The maximum that it pays for; output of all choices. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly maxSearches: number;
}

/** Credit held for a request. */
export interface GrantedHold extends Affordable {
  hold: Hold;
}

/** Whose credit is held. */
export interface Payer {
  key: AuthenticatedKey;
  rechargeUrl: string;
  /** Undefined: there is no console in which caps are raised. */
  consoleUrl: string | undefined;
  /** When the request started, which decides the day, week and month that caps count it in; Unix milliseconds. */
  startedAtMs: number;
  /** The endpoint's status for an insufficient balance. */
  insufficientStatus: 400 | 402;
  signal: AbortSignal;
}

/**
 * Holds the maximum cost of a call, or the part of it, down to its minimum, that the balance, the rest of a cap, and
 * the largest charge that the ledger accepts can pay for.
 *
 * @returns undefined when the client has disconnected
 * @throws ApiError for a request that can cost more than the largest charge (400), an insufficient balance or a reached cap
 *   (402 or 400), credit held by open requests (429), or an unavailable ledger (503)
 */
export async function takeHold(wallet: Wallet, cost: CallCost, payer: Payer): Promise<GrantedHold | undefined> {
  const { minNanos } = cost;
  if (minNanos > MAX_CHARGE_NANOS) {
    throw apiErrors.beyondLargestCharge({
      neededNanos: minNanos,
      largestNanos: MAX_CHARGE_NANOS,
      affordableOutputTokens: cost.affordableOutputTokens(MAX_CHARGE_NANOS),
    });
  }
  const maxNanos = minBigInt(cost.maxNanos, MAX_CHARGE_NANOS);
  const { accountId } = payer.key;
  const pending = wallet.hold({ accountId, maxNanos, minNanos, capped: cappedPath(payer), signal: payer.signal });
  const result = pending instanceof Promise ? await pending : pending;
  switch (result.kind) {
    case 'held':
      return { hold: result.hold, ...cost.afford(result.hold.nanos) };
    case 'insufficient':
      throw insufficient(result.limit, cost, payer);
    case 'busy':
      throw result.limit === undefined || result.limit.window === null
        ? apiErrors.creditHeld(result.limit, payer.key, result.retryAfterMs)
        : apiErrors.capHeld(result.limit, payer.key, result.retryAfterMs);
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

/** The error of a request that costs more than is left of a limit. */
function insufficient(limit: CeilingStatus, cost: CallCost, payer: Payer): ApiError {
  const shortage = {
    neededNanos: cost.minNanos,
    affordableOutputTokens: mayShow(limit, payer) ? cost.affordableOutputTokens(limit.leftNanos) : undefined,
    owner: payer.key,
    status: payer.insufficientStatus,
  };
  if (limit.window === null) {
    return apiErrors.insufficientBalance({ ...shortage, balance: limit, rechargeUrl: payer.rechargeUrl });
  }
  return apiErrors.capReached({ ...shortage, cap: limit, rechargeUrl: capUrl(payer, limit) });
}

/** Whether the key may see what is left of a limit. */
function mayShow(limit: CeilingStatus, { key }: Payer): boolean {
  return limit.window === null ? !isDerived(key) : nodeOf(limit.nodeId, key).name !== null;
}

/**
 * The page where the cap is raised: of the key or one above it, of the key with its sessions, or of its project with its members and
 * service accounts.
 */
function capUrl({ key, consoleUrl, rechargeUrl }: Payer, { nodeId, window }: CapStatus): string {
  if (consoleUrl === undefined) return rechargeUrl;
  const account = `${consoleUrl}/accounts/${key.accountId}`;
  const { scope, id } = nodeOf(nodeId, key);
  if (scope === 'session') return `${account}/keys/${key.keyId}`;
  if (scope === 'key') return `${account}/keys/${id}?raise=${window}`;
  return `${account}/projects/${projectOf(key)}?node=${nodeId}&raise=${window}`;
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

/**
 * The nodes of the key's path that have caps, and its session; undefined without any. A change above a node may change its caps, as
 * defaults are set there: so their revision is the latest one from the root down. All follow the same clock.
 */
function cappedPath({ key, startedAtMs }: Payer): CappedPath | undefined {
  const nodes: CappedNode[] = [];
  let revision = 0n;
  for (const { nodeId, caps, grants, revision: own } of key.nodes) {
    if (own > revision) revision = own;
    if (caps !== undefined) nodes.push({ nodeId, caps, grants, revision });
  }
  const { keyId: nodeId, caps, grants, session } = key;
  if (key.revision > revision) revision = key.revision;
  if (caps !== undefined) nodes.push({ nodeId, caps, grants, revision });
  return nodes.length === 0 && session === undefined ? undefined : { nodes, session, startedAtMs };
}
