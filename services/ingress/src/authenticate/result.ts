import type { CachedKey } from '@tollgate/common/keys/index';

/** Why a presented key is refused. */
export type KeyRefusalReason = 'malformed' | 'unknown' | 'deleted' | 'expired' | 'account_suspended';

/** A refusal; every reason is answered with the 401 of a wrong key. */
export interface RefusedKey {
  kind: 'refused';
  reason: KeyRefusalReason;
}

/** What a presented key comes to. */
export type AuthenticationResult =
  | { kind: 'active'; key: CachedKey }
  | RefusedKey
  /** Nothing that could vouch for the key answers. */
  | { kind: 'unavailable' };

/** The refusals, made once: they are answered often when someone tries keys. */
export const REFUSED: Readonly<Record<KeyRefusalReason, RefusedKey>> = {
  malformed: { kind: 'refused', reason: 'malformed' },
  unknown: { kind: 'refused', reason: 'unknown' },
  deleted: { kind: 'refused', reason: 'deleted' },
  expired: { kind: 'refused', reason: 'expired' },
  account_suspended: { kind: 'refused', reason: 'account_suspended' },
};

export const UNAVAILABLE: AuthenticationResult = { kind: 'unavailable' };
