import type { CallOptions, Metadata, ServiceError } from '@grpc/grpc-js';
import { messageOf } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { CachedKey, RateLimits } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import {
  ChangesVersion,
  type KeyRecord,
  KeyRefusal,
  type ResolveKeyRequest,
  type ResolveKeyResponse,
  type RateLimits as WireLimits,
} from '@tollgate/proto/auth';
import { REFUSED, type RefusedKey } from './result.ts';
import { Slots } from './slots.ts';
import { Strangers } from './strangers.ts';

/** Calls to auth at once, and those that wait for their turn. Strangers have their own, so that no key waits behind them. */
const MOST_CALLS = 64;
const MOST_STRANGERS_CALLS = 32;
const MOST_WAITING = 1_000;
const WAIT_MS = 1_000;
const DEADLINE_MS = 2_000;
/** Replicas of auth asked in turn for one key, while some are of an earlier version. */
const MOST_TRIES = 8;

/** What auth says of a key. */
export type Answer =
  | { kind: 'active'; key: CachedKey }
  /** The ids are those of a key that exists; else empty. */
  | { kind: 'refused'; refusal: RefusedKey; keyId: string; accountId: string };

/** An answer, undefined when auth gave none, and the position it was asked at. */
export interface Answered {
  answer: Answer | undefined;
  position: number;
}

interface Flight {
  position: number;
  answered: Promise<Answered>;
}

/** The call of auth that keys are asked for with. */
export interface KeySource {
  resolveKey(
    request: ResolveKeyRequest,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, response: ResolveKeyResponse) => void,
  ): { cancel: () => void };
}

export interface KeyResolverOptions {
  auth: KeySource;
  logger: Logger;
  /** A clock that never goes back, in milliseconds. */
  now: () => number;
}

/** Asks auth for keys that the cache cannot vouch for. */
export class KeyResolver {
  readonly #auth: KeySource;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #strangers = new Strangers();
  readonly #slots = new Slots(MOST_CALLS, MOST_WAITING);
  readonly #strangersSlots = new Slots(MOST_STRANGERS_CALLS, MOST_WAITING);
  readonly #flights = new Map<string, Flight>();
  #down = false;

  constructor({ auth, logger, now }: KeyResolverOptions) {
    this.#auth = auth;
    this.#logger = logger;
    this.#now = now;
  }

  /** Whether a key was found good within a day. */
  knows(sha256: string): boolean {
    return this.#strangers.knows(sha256, this.#now());
  }

  /** Notes that a key is good, by another's word. */
  welcome(sha256: string): void {
    this.#strangers.welcome(sha256, this.#now());
  }

  /**
   * Asks for one key, under the active span.
   *
   * @param position how far the changes of keys are known
   * @param joinFrom the answer to a question asked at this position or later will do; none of another's will for a
   *   caller that is not told of changes, as it may be from before one that is over by now
   */
  resolve(accountTag: string, sha256: string, position: number, joinFrom: number): Promise<Answered> {
    const running = this.#flights.get(sha256);
    if (running !== undefined && running.position >= joinFrom) return running.answered;
    const answered = this.#ask(accountTag, sha256).then((answer) => {
      if (this.#flights.get(sha256) === flight) this.#flights.delete(sha256);
      return { answer, position };
    });
    const flight: Flight = { position, answered };
    this.#flights.set(sha256, flight);
    return answered;
  }

  async #ask(accountTag: string, sha256: string): Promise<Answer | undefined> {
    const visit = this.#strangers.enter(sha256, this.#now());
    if (visit === 'too_many') return undefined;
    let unknown = false;
    try {
      const slots = visit === 'stranger' ? this.#strangersSlots : this.#slots;
      const answer = await this.#call(slots, accountTag, sha256);
      if (answer?.kind === 'active') this.#strangers.welcome(sha256, this.#now());
      unknown = answer?.kind === 'refused' && answer.refusal === REFUSED.unknown;
      return answer;
    } finally {
      if (visit === 'stranger' && !unknown) this.#strangers.giveBack();
    }
  }

  /**
   * The answer of an auth that knows all this version does: one of an earlier version knows of no limits, and not of both
   * values of a key. Calls go round the replicas, so another is asked the next time.
   */
  async #askUpToDate(request: ResolveKeyRequest): Promise<ResolveKeyResponse> {
    const endMs = this.#now() + DEADLINE_MS;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const deadlineMs = endMs - this.#now();
      const response = await unaryCall(this.#auth.resolveKey.bind(this.#auth), request, { deadlineMs });
      if (response.version >= ChangesVersion.REVISIONS) return response;
    }
    throw new Error('auth is of an earlier version');
  }

  async #call(slots: Slots, accountTag: string, sha256: string): Promise<Answer | undefined> {
    if (!(await slots.take(WAIT_MS))) return undefined;
    try {
      const request = { keySha256: Buffer.from(sha256, 'hex'), accountTag };
      const response = await this.#askUpToDate(request);
      if (this.#down) this.#logger.info('auth answers again');
      this.#down = false;
      return toAnswer(response);
    } catch (error) {
      if (!this.#down) this.#logger.warn({ reason: messageOf(error) }, 'auth did not resolve a key');
      this.#down = true;
      return undefined;
    } finally {
      slots.release();
    }
  }
}

function toAnswer({ result, refusedKeyId, refusedAccountId }: ResolveKeyResponse): Answer | undefined {
  if (result === undefined) return undefined;
  switch (result.$case) {
    case 'active':
      return { kind: 'active', key: toCachedKey(result.value) };
    case 'refused':
      return {
        kind: 'refused',
        refusal: toRefusal(result.value),
        keyId: refusedKeyId,
        accountId: refusedAccountId,
      };
    default:
      return result satisfies never;
  }
}

function toCachedKey(record: KeyRecord): CachedKey {
  return {
    ...record,
    expiresAtMs: Number(record.expiresAtMs),
    limits: toLimits(record.limits),
    accountLimits: toLimits(record.accountLimits),
  };
}

function toLimits(limits: WireLimits | undefined): RateLimits | undefined {
  if (limits === undefined) return undefined;
  const { requestsPerMinute, tokensPerMinute, openRequests } = limits;
  return {
    requestsPerMinute: requestsPerMinute === undefined ? undefined : Number(requestsPerMinute),
    tokensPerMinute: tokensPerMinute === undefined ? undefined : Number(tokensPerMinute),
    openRequests,
  };
}

function toRefusal(refusal: KeyRefusal): RefusedKey {
  switch (refusal) {
    case KeyRefusal.DELETED:
      return REFUSED.deleted;
    case KeyRefusal.EXPIRED:
      return REFUSED.expired;
    case KeyRefusal.ACCOUNT_SUSPENDED:
      return REFUSED.account_suspended;
    case KeyRefusal.UNKNOWN:
    case KeyRefusal.UNSPECIFIED:
      return REFUSED.unknown;
    default:
      return refusal satisfies never;
  }
}
