import type { CallOptions, Metadata, ServiceError } from '@grpc/grpc-js';
import { messageOf } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import { type CachedKey, type LimitNode, nodeScopeOf, toLimitGrants, toRateLimits } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import {
  type KeyRecord,
  KeyRefusal,
  type LimitNode as LimitNodeMessage,
  type ResolveKeyRequest,
  type ResolveKeyResponse,
} from '@tollgate/proto/auth';
import type { KeyRefusalReason } from '../../shared/errors/error-texts.ts';
import { type RefusedKey, UNKNOWN } from './result.ts';
import type { UnknownKeyLimiter } from './unknown-key-limiter.ts';

/** Concurrent calls of auth. Unknown keys have their own, so that no known key waits behind them. */
const MAX_CALLS = 64;
const MAX_UNKNOWN_CALLS = 32;
const MAX_WAITING = 1_000;
const WAIT_MS = 1_000;
const DEADLINE_MS = 2_000;

/** What auth knows about a key. */
export type ResolvedKey = { kind: 'active'; key: CachedKey } | RefusedKey;

/** What auth returned, undefined when it failed, and the position of changes at which it was called. */
export interface Resolution {
  result: ResolvedKey | undefined;
  position: number;
}

interface OpenCall {
  position: number;
  resolution: Promise<Resolution>;
}

/** The RPC of auth that resolves keys. */
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
  unknownKeys: UnknownKeyLimiter;
}

/** Resolves keys that the cache does not have, by calling auth. Concurrent requests for one key share a call. */
export class KeyResolver {
  readonly #auth: KeySource;
  readonly #logger: Logger;
  readonly #unknownKeys: UnknownKeyLimiter;
  readonly #calls = new Semaphore(MAX_CALLS, MAX_WAITING);
  readonly #unknownCalls = new Semaphore(MAX_UNKNOWN_CALLS, MAX_WAITING);
  readonly #open = new Map<string, OpenCall>();
  #down = false;

  constructor({ auth, logger, unknownKeys }: KeyResolverOptions) {
    this.#auth = auth;
    this.#logger = logger;
    this.#unknownKeys = unknownKeys;
  }

  /**
   * Resolves a key, under the active span.
   *
   * @param position how far the changes of keys are known
   * @param joinFrom an open call made at this position or later may be shared. A caller that does not receive changes may
   *   share none: it could be from before a change that is over by now
   */
  resolve(accountTag: string, sha256: string, position: number, joinFrom: number): Promise<Resolution> {
    const open = this.#open.get(sha256);
    if (open !== undefined && open.position >= joinFrom) return open.resolution;
    const resolution = this.#lookUp(accountTag, sha256).then((result) => {
      if (this.#open.get(sha256) === call) this.#open.delete(sha256);
      return { result, position };
    });
    const call: OpenCall = { position, resolution };
    this.#open.set(sha256, call);
    return resolution;
  }

  async #lookUp(accountTag: string, sha256: string): Promise<ResolvedKey | undefined> {
    const isKnown = this.#unknownKeys.isKnown(sha256);
    if (!isKnown && !this.#unknownKeys.takeAuthCall()) return undefined;
    let result: ResolvedKey | undefined;
    try {
      result = await this.#call(isKnown ? this.#calls : this.#unknownCalls, accountTag, sha256);
      if (result?.kind === 'active') this.#unknownKeys.markKnown(sha256, accountTag);
      return result;
    } finally {
      const isMiss = result?.kind === 'refused' && result.reason === 'unknown';
      if (!isKnown && !isMiss) this.#unknownKeys.returnAuthCall();
    }
  }

  async #call(semaphore: Semaphore, accountTag: string, sha256: string): Promise<ResolvedKey | undefined> {
    if (!(await semaphore.acquire(WAIT_MS))) return undefined;
    try {
      const request = { keySha256: Buffer.from(sha256, 'hex'), accountTag };
      const call = this.#auth.resolveKey.bind(this.#auth);
      const response = await unaryCall(call, request, { deadlineMs: DEADLINE_MS });
      if (this.#down) this.#logger.info('auth resolves keys again');
      this.#down = false;
      return toResolvedKey(response);
    } catch (error) {
      if (!this.#down) this.#logger.warn({ reason: messageOf(error) }, 'auth could not resolve a key');
      this.#down = true;
      return undefined;
    } finally {
      semaphore.release();
    }
  }
}

function toResolvedKey({ result, refusedKeyId, refusedAccountId }: ResolveKeyResponse): ResolvedKey | undefined {
  if (result === undefined) return undefined;
  switch (result.$case) {
    case 'active':
      return toActiveKey(result.value);
    case 'refused':
      return toRefusedKey(result.value, refusedKeyId, refusedAccountId);
    default:
      return result satisfies never;
  }
}

/** Undefined for a key below a node of an unknown kind, whose limits would not be kept. */
function toActiveKey(record: KeyRecord): ResolvedKey | undefined {
  const nodes = record.nodes.flatMap(toLimitNode);
  if (nodes.length < record.nodes.length) return undefined;
  const key = {
    ...record,
    expiresAtMs: Number(record.expiresAtMs),
    limits: toRateLimits(record.limits),
    accountLimits: toRateLimits(record.accountLimits),
    nodes,
    sessionNanos: record.sessionNanos,
    grants: toLimitGrants(record.grants),
  };
  return { kind: 'active', key };
}

function toLimitNode({ scope: number, ...node }: LimitNodeMessage): LimitNode[] {
  const scope = nodeScopeOf(number);
  return scope === undefined
    ? []
    : [{ ...node, scope, limits: toRateLimits(node.limits), grants: toLimitGrants(node.grants) }];
}

/** @param keyId empty unless the key exists, as `accountId` */
function toRefusedKey(refusal: KeyRefusal, keyId: string, accountId: string): RefusedKey {
  const reason = toReason(refusal);
  if (reason === 'unknown') return UNKNOWN;
  return { kind: 'refused', reason, owner: keyId === '' ? undefined : { keyId, keyName: '', accountId } };
}

function toReason(refusal: KeyRefusal): KeyRefusalReason {
  switch (refusal) {
    case KeyRefusal.DELETED:
      return 'deleted';
    case KeyRefusal.EXPIRED:
      return 'expired';
    case KeyRefusal.ACCOUNT_SUSPENDED:
      return 'account_suspended';
    case KeyRefusal.OFF:
      return 'off';
    case KeyRefusal.UNKNOWN:
    case KeyRefusal.UNSPECIFIED:
      return 'unknown';
    default:
      return refusal satisfies never;
  }
}

/** Lets a bounded number of tasks run at once; others wait in order, bounded in number and time. */
export class Semaphore {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #acquired = 0;

  constructor(max: number, maxWaiting: number) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves to true once acquired, to be followed by `release`; to false after `waitMs`, or if too many wait. */
  async acquire(waitMs: number): Promise<boolean> {
    if (this.#acquired < this.#max) {
      this.#acquired++;
      return true;
    }
    if (this.#waiting.size >= this.#maxWaiting) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(wake);
        resolve(false);
      }, waitMs);
      const wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#waiting.add(wake);
    });
  }

  /** Releases one; the longest waiting task acquires it. */
  release(): void {
    for (const wake of this.#waiting) {
      this.#waiting.delete(wake);
      wake();
      return;
    }
    this.#acquired--;
  }
}
