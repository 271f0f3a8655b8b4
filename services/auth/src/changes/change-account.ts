import { RpcError } from '@tollgate/common/errors';
import { inTransaction } from '@tollgate/common/postgres/pool';
import { type AccountRow, lockAccount, writeAccount } from '../store/accounts.ts';
import { findRevocation, insertRevocation } from '../store/revocations.ts';
import { type ChangeDependencies, waitForAccountChange } from './wait-for-propagation.ts';

/**
 * Changes an account, and waits until the change is in force for all its keys at every ingress. When nothing changes, only
 * the wait for the last change is repeated.
 *
 * @param fieldsOf returns the fields to change; undefined when they already have these values
 */
export async function changeAccount(
  deps: ChangeDependencies,
  { accountId, done }: { accountId: string; done: string },
  fieldsOf: (known: AccountRow) => Partial<AccountRow> | undefined,
  signal: AbortSignal,
): Promise<AccountRow> {
  const { account, sequence } = await inTransaction(deps.pool, async (client) => {
    const known = await lockAccount(client, accountId);
    if (known === undefined) throw new RpcError('not_found', 'no such account');
    const fields = fieldsOf(known);
    if (fields === undefined) return { account: known, sequence: await findRevocation(client, accountId) };
    const written = await writeAccount(client, { ...known, ...fields });
    const { revision } = written;
    return { account: written, sequence: await insertRevocation(client, { kind: 'account', accountId, revision }) };
  });
  deps.logger.info({ account_id: accountId }, done);
  await waitForAccountChange(deps, { account, sequence, done }, signal);
  return account;
}
