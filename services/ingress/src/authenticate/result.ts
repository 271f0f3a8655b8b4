import type { CachedKey } from '@tollgate/common/keys/index';

/** Why a presented key is refused. */
export type KeyRefusalReason = 'malformed' | 'unknown' | 'deleted' | 'expired' | 'account_suspended';

/** Why a request is not authenticated. */
export type FailureReason = KeyRefusalReason | 'missing';

/** Every reason gets the 401 of a wrong key. */
export interface RefusedKey {
  kind: 'refused';
  reason: KeyRefusalReason;
}

export type AuthenticationResult =
  | { kind: 'active'; key: CachedKey }
  | RefusedKey
  /** Too many unknown keys were looked up for the client's network. */
  | { kind: 'throttled'; retryAfterMs: number }
  /** Neither memory nor Redis has the key, and auth could not be reached. */
  | { kind: 'unavailable' };

/** The refusals, allocated once. */
export const REFUSED: Readonly<Record<KeyRefusalReason, RefusedKey>> = {
  malformed: { kind: 'refused', reason: 'malformed' },
  unknown: { kind: 'refused', reason: 'unknown' },
  deleted: { kind: 'refused', reason: 'deleted' },
  expired: { kind: 'refused', reason: 'expired' },
  account_suspended: { kind: 'refused', reason: 'account_suspended' },
};

export const UNAVAILABLE: AuthenticationResult = { kind: 'unavailable' };
