import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { messageOf } from '../../api/error.ts';
import { useChange } from '../../api/queries.ts';
import type { LeftKey } from './left-keys.ts';
import { deletionOutcome } from './outcome.ts';

interface Deletion {
  run: (keys: readonly LeftKey[]) => Promise<void>;
  isRunning: boolean;
  /** What became of each key, by its id. */
  outcomes: ReadonlyMap<string, string>;
}

/** Deletes several keys, one after the other, and reports how each went. */
export function useDeleteKeys(): Deletion {
  const { accountId } = useAccount();
  const deleteKey = useChange('DELETE /accounts/{account_id}/keys/{key_id}', {
    failed: null,
    what: () => 'The deletion of a key',
    invalidates: ['GET /accounts/{account_id}/keys'],
  });
  const deleteManagementKey = useChange('DELETE /accounts/{account_id}/management-keys/{management_key_id}', {
    failed: null,
    what: () => 'The deletion of a management key',
    invalidates: ['GET /accounts/{account_id}/management-keys'],
  });
  const [isRunning, setRunning] = useState(false);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, string>>(new Map());
  const remove = async ({ id, kind }: LeftKey): Promise<string> => {
    if (kind === 'management') {
      await deleteManagementKey.mutateAsync({ path: { account_id: accountId, management_key_id: id } });
      return 'Deleted. Refused within a minute.';
    }
    const { confirmations } = await deleteKey.mutateAsync({ path: { account_id: accountId, key_id: id } });
    return deletionOutcome(confirmations);
  };
  const run = async (keys: readonly LeftKey[]) => {
    setRunning(true);
    for (const key of keys) {
      const outcome = await remove(key).catch((error: unknown) => `Not deleted. ${messageOf(error)}`);
      setOutcomes((before) => new Map(before).set(key.id, outcome));
    }
    setRunning(false);
  };
  return { run, isRunning, outcomes };
}
