import type { CachedKey } from '@tollgate/common/keys/index';
import type { KeyRefusalReason } from '../../shared/errors/error-texts.ts';
import type { KeyOwner } from '../../shared/request/request-context.ts';

/** Every reason gets the 401 of a wrong key. */
export interface RefusedKey {
  kind: 'refused';
  reason: KeyRefusalReason;
  /** Whose key it is; undefined for one that does not exist, or where that is not known. */
  owner: KeyOwner | undefined;
}

export type AuthenticationResult =
  | { kind: 'active'; key: CachedKey }
  | RefusedKey
  /** Too many unknown keys were looked up for the client's network. */
  | { kind: 'throttled'; retryAfterMs: number }
  /** Neither memory nor Redis has the key, and auth could not be reached. */
  | { kind: 'unavailable' };

/** Refusals of keys that belong to nobody, allocated once. */
export const MALFORMED: RefusedKey = { kind: 'refused', reason: 'malformed', owner: undefined };
export const UNKNOWN: RefusedKey = { kind: 'refused', reason: 'unknown', owner: undefined };

export const UNAVAILABLE: AuthenticationResult = { kind: 'unavailable' };
