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
export { type CachedKey, type KeyCaps, type RateLimits, toRateLimits } from './record.ts';
