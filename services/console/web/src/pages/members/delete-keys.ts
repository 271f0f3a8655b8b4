import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { call } from '../../api/client.ts';
import { messageOf } from '../../api/error.ts';
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
  const client = useQueryClient();
  const [isRunning, setRunning] = useState(false);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, string>>(new Map());
  const run = async (keys: readonly LeftKey[]) => {
    setRunning(true);
    for (const key of keys) {
      const outcome = await deleteKey(accountId, key);
      setOutcomes((before) => new Map(before).set(key.id, outcome));
    }
    setRunning(false);
    await client.invalidateQueries({ queryKey: ['GET /accounts/{account_id}/keys'] });
    await client.invalidateQueries({ queryKey: ['GET /accounts/{account_id}/management-keys'] });
  };
  return { run, isRunning, outcomes };
}

async function deleteKey(accountId: string, { id, kind }: LeftKey): Promise<string> {
  try {
    if (kind === 'management') {
      await call('DELETE /accounts/{account_id}/management-keys/{management_key_id}', {
        path: { account_id: accountId, management_key_id: id },
      });
      return 'Deleted. Refused within a minute.';
    }
    const { confirmations } = await call('DELETE /accounts/{account_id}/keys/{key_id}', {
      path: { account_id: accountId, key_id: id },
    });
    return deletionOutcome(confirmations);
  } catch (error) {
    return `Not deleted. ${messageOf(error)}`;
  }
}
