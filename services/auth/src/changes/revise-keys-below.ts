import type { PoolClient } from '@tollgate/common/postgres/pool';
import { lockAccount, writeAccount } from '../store/accounts.ts';
import { insertRevocation } from '../store/revocations.ts';

/**
 * Lets ingresses ask again for all keys of the account of a changed key that has keys below it, as a change of a project does.
 * Before the revocation of the key itself, so that whoever has applied that has applied this.
 */
export async function reviseKeysBelow(client: PoolClient, accountId: string): Promise<void> {
  const account = await lockAccount(client, accountId);
  if (account === undefined) throw new Error('a key has no account');
  const { revision } = await writeAccount(client, account);
  await insertRevocation(client, { kind: 'account', accountId, revision });
}
