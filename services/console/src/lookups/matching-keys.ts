import { type ApiKey, KeyStatus } from '@tollgate/proto/auth';

const STATUSES: Readonly<Record<KeyStatus, string>> = {
  [KeyStatus.UNSPECIFIED]: '',
  [KeyStatus.ACTIVE]: 'active',
  [KeyStatus.EXPIRED]: 'expired',
  [KeyStatus.OFF]: 'off',
  [KeyStatus.DELETED]: 'deleted',
};

/** Keys that match a search, those in use first, as they are shown among other matches. */
export function matchingKeys(keys: readonly ApiKey[]) {
  return keys
    .toSorted((a, b) => Number(a.status === KeyStatus.DELETED) - Number(b.status === KeyStatus.DELETED))
    .map(({ keyId, accountId, name, lastFour, status }) => ({
      id: keyId,
      accountId,
      title: name,
      subtitle: `…${lastFour} ${STATUSES[status]}`,
    }));
}
