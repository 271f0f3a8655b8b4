import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { call } from '../../api/client.ts';
import { messageOf } from '../../api/error.ts';
import { deletionOutcome } from './outcome.ts';

interface Deletion {
  run: (keyIds: readonly string[]) => Promise<void>;
  isRunning: boolean;
  /** What became of each key. */
  outcomes: ReadonlyMap<string, string>;
}

/** Deletes several keys, one after the other, and reports how each went. */
export function useDeleteKeys(): Deletion {
  const { accountId } = useAccount();
  const client = useQueryClient();
  const [isRunning, setRunning] = useState(false);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, string>>(new Map());
  const run = async (keyIds: readonly string[]) => {
    setRunning(true);
    for (const keyId of keyIds) {
      const outcome = await deleteKey(accountId, keyId);
      setOutcomes((before) => new Map(before).set(keyId, outcome));
    }
    setRunning(false);
    await client.invalidateQueries({ queryKey: ['GET /accounts/{account_id}/keys'] });
  };
  return { run, isRunning, outcomes };
}

async function deleteKey(accountId: string, keyId: string): Promise<string> {
  try {
    const { confirmations } = await call('DELETE /accounts/{account_id}/keys/{key_id}', {
      path: { account_id: accountId, key_id: keyId },
    });
    return deletionOutcome(confirmations);
  } catch (error) {
    return `Not deleted. ${messageOf(error)}`;
  }
}
