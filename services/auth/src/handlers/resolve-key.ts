import { messageOf, RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { KeyCache } from '@tollgate/common/keys/index';
import { type CachedKey, isAccountTag, toRateLimits } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import {
  type KeyRecord,
  KeyRefusal,
  type LimitNode,
  type ResolveKeyRequest,
  type ResolveKeyResponse,
} from '@tollgate/proto/auth';
import { type LimitColumns, rateLimits, spendingCaps } from '../store/columns.ts';
import { grantMessages, grantsOfJson } from '../store/grants.ts';
import { SCOPE_OF_KIND } from '../store/node-messages.ts';
import { findKeyBySha256, type LimitingNode, type ResolvableKey } from '../store/resolvable-keys.ts';
import { sha256Argument } from './arguments.ts';

type Needed = { pool: Pool; cache: KeyCache; logger: Logger };

/** Resolves a presented key, and writes it to the cache when it is active. */
export function createResolveKeyHandler(deps: Needed): UnaryHandler<ResolveKeyRequest, ResolveKeyResponse> {
  return async (request) => {
    const { accountTag } = request;
    const keySha256 = sha256Argument('key_sha256', request.keySha256);
    if (!isAccountTag(accountTag)) throw new RpcError('invalid_argument', 'account_tag: must have 6 base62 characters');
    const readAtMs = Date.now();
    const key = await findKeyBySha256(deps.pool, keySha256);
    if (key === undefined || key.tag !== accountTag) return refused(KeyRefusal.UNKNOWN, undefined);
    if (key.deleted) return refused(KeyRefusal.DELETED, key);
    if (key.suspended) return refused(KeyRefusal.ACCOUNT_SUSPENDED, key);
    if (key.off) return refused(KeyRefusal.OFF, key);
    if (key.expired) return refused(KeyRefusal.EXPIRED, key);
    await writeToCache(deps, keySha256, key, readAtMs);
    return { result: { $case: 'active', value: keyRecord(key, readAtMs) }, refusedKeyId: '', refusedAccountId: '' };
  };
}

function refused(reason: KeyRefusal, key: ResolvableKey | undefined): ResolveKeyResponse {
  return {
    result: { $case: 'refused', value: reason },
    refusedKeyId: key?.key_id ?? '',
    refusedAccountId: key?.account_id ?? '',
  };
}

async function writeToCache(
  { cache, logger }: Needed,
  keySha256: Buffer,
  key: ResolvableKey,
  readAtMs: number,
): Promise<void> {
  try {
    await cache.write(keySha256.toString('hex'), cachedKey(key, readAtMs), readAtMs);
  } catch (error) {
    logger.debug({ reason: messageOf(error) }, 'resolved without the cache, as Redis failed');
  }
}

function cachedKey(key: ResolvableKey, nowMs: number): CachedKey {
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
    priceRules: key.price_rules,
    accountRevision: key.account_revision,
    limits: toRateLimits(rateLimits(key)),
    accountLimits: toRateLimits(rateLimits(accountLimitsOf(key))),
    tags: key.tags,
    nodes: key.nodes.map((node) => cachedNode(node, nowMs)),
    sessionNanos: key.each_session_nanos ?? undefined,
    grants: grantsOfJson(key.grants, nowMs),
  };
}

function cachedNode(node: LimitingNode, nowMs: number): CachedKey['nodes'][number] {
  return {
    scope: node.kind,
    nodeId: node.node_id,
    name: node.name,
    caps: spendingCaps(node),
    limits: toRateLimits(rateLimits(node)),
    allowedModels: node.allowed_models,
    revision: node.revision,
    grants: grantsOfJson(node.grants, nowMs),
  };
}

function keyRecord(key: ResolvableKey, nowMs: number): KeyRecord {
  const cached = cachedKey(key, nowMs);
  return {
    ...cached,
    expiresAtMs: BigInt(cached.expiresAtMs),
    allowedModels: key.allowed_models,
    priceRules: key.price_rules,
    caps: spendingCaps(key),
    limits: rateLimits(key),
    accountLimits: rateLimits(accountLimitsOf(key)),
    tags: key.tags,
    nodes: key.nodes.map((node) => limitNode(node, nowMs)),
    grants: grantMessages(cached.grants),
  };
}

function limitNode(node: LimitingNode, nowMs: number): LimitNode {
  return {
    scope: SCOPE_OF_KIND[node.kind],
    nodeId: node.node_id,
    name: node.name,
    caps: spendingCaps(node),
    limits: rateLimits(node),
    allowedModels: node.allowed_models,
    revision: node.revision,
    grants: grantMessages(grantsOfJson(node.grants, nowMs)),
  };
}

function accountLimitsOf(key: ResolvableKey): LimitColumns {
  return {
    requests_per_minute: key.account_requests_per_minute,
    tokens_per_minute: key.account_tokens_per_minute,
    open_requests: key.account_open_requests,
  };
}
