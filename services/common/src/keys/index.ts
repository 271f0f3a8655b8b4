export { type GrantPeriod, type LimitGrant, NO_GRANTS, SESSION_REVISION, toLimitGrants } from './grants.ts';
export { KeyCache, RECORD_LIFE_MS, type RedisRecord } from './key-cache.ts';
export {
  accountTagOf,
  isAccountTag,
  isManagementKey,
  keyPrefix,
  MAX_KEY_LENGTH,
  type NewKey,
  newAccountTag,
  newKey,
  newManagementKey,
  sha256Hex,
} from './key-text.ts';
export {
  type LimitNode,
  type NodeScope,
  nodeScopeOf,
  type RateLimits,
  type SpendingCaps,
  toRateLimits,
} from './limits.ts';
export type { CachedKey } from './record.ts';
export { sessionNodeId } from './session-node.ts';
