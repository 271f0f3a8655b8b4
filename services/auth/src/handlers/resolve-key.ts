import { messageOf, RpcError } from '@tollgate/common/errors';
import { type CachedKey, type Fill, isAccountTag } from '@tollgate/common/keys/index';
import {
  ChangesVersion,
  type KeyRecord,
  KeyRefusal,
  type ResolveKeyRequest,
  type ResolveKeyResponse,
} from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { findKeyBySha256, type ResolvableKey } from '../store/find-key-by-sha256.ts';
import { cachedLimits, type LimitColumns, rateLimits } from '../store/rate-limits.ts';
import { spendingCaps } from '../store/spending-caps.ts';

const SHA256_BYTES = 32;
const version = ChangesVersion.REVISIONS;

type Needed = Pick<Dependencies, 'pool' | 'cache' | 'logger'>;

/** Says what a presented key stands for, and puts it into the cache when it is live. */
export async function resolveKey(deps: Needed, request: ResolveKeyRequest): Promise<ResolveKeyResponse> {
  const { keySha256, accountTag } = request;
  if (keySha256.length !== SHA256_BYTES) throw new RpcError('invalid_argument', 'key_sha256 must be 32 bytes');
  if (!isAccountTag(accountTag)) throw new RpcError('invalid_argument', 'account_tag must be 6 base62 characters');
  const lookUp = async () => {
    const found = await findKeyBySha256(deps.pool, keySha256);
    return found?.tag === accountTag ? found : undefined;
  };
  // A key that does not exist leaves nothing in Redis.
  const known = await lookUp();
  if (known === undefined) return refused(KeyRefusal.UNKNOWN, undefined);
  // The fill begins before the record is read that it stores: whatever happens to the key or the cache from here on ends it.
  const fill = await beginFill(deps, accountTag);
  const key = fill === undefined ? known : await lookUp();
  if (key === undefined) return refused(KeyRefusal.UNKNOWN, undefined);
  if (key.deleted) return refused(KeyRefusal.DELETED, key);
  if (key.suspended) return refused(KeyRefusal.ACCOUNT_SUSPENDED, key);
  if (key.expired) return refused(KeyRefusal.EXPIRED, key);
  if (fill !== undefined) await endFill(deps, fill, keySha256, key);
  return { result: { $case: 'active', value: keyRecord(key) }, refusedKeyId: '', refusedAccountId: '', version };
}

function refused(reason: KeyRefusal, key: ResolvableKey | undefined): ResolveKeyResponse {
  return {
    result: { $case: 'refused', value: reason },
    refusedKeyId: key?.key_id ?? '',
    refusedAccountId: key?.account_id ?? '',
    version,
  };
}

async function beginFill({ cache, logger }: Needed, accountTag: string): Promise<Fill | undefined> {
  try {
    return await cache.beginFill(accountTag);
  } catch (error) {
    logger.debug({ reason: messageOf(error) }, 'resolved without the cache, as Redis did not answer');
    return undefined;
  }
}

async function endFill({ cache, logger }: Needed, fill: Fill, keySha256: Buffer, key: ResolvableKey): Promise<void> {
  try {
    await cache.endFill(fill, keySha256.toString('hex'), cachedKey(key));
  } catch (error) {
    logger.debug({ reason: messageOf(error) }, 'resolved without the cache, as Redis did not answer');
  }
}

function cachedKey(key: ResolvableKey): CachedKey {
  return {
    keyId: key.key_id,
    keyName: key.name,
    accountId: key.account_id,
    accountTag: key.tag,
    expiresAtMs: key.expires_at?.getTime() ?? 0,
    allowedModels: key.allowed_models,
    caps: spendingCaps(key),
    revision: key.revision,
    discountPpm: key.discount_ppm,
    accountRevision: key.account_revision,
    limits: cachedLimits(key),
    accountLimits: cachedLimits(accountLimitsOf(key)),
    tags: key.tags,
  };
}

function keyRecord(key: ResolvableKey): KeyRecord {
  const cached = cachedKey(key);
  return {
    ...cached,
    expiresAtMs: BigInt(cached.expiresAtMs),
    allowedModels: key.allowed_models,
    caps: spendingCaps(key),
    limits: rateLimits(key),
    accountLimits: rateLimits(accountLimitsOf(key)),
    tags: key.tags,
  };
}

function accountLimitsOf(key: ResolvableKey): LimitColumns {
  return {
    requests_per_minute: key.account_requests_per_minute,
    tokens_per_minute: key.account_tokens_per_minute,
    open_requests: key.account_open_requests,
  };
}
