import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { inTransaction } from '@tollgate/common/postgres/pool';
import { accountAttributes } from '../audit/attributes.ts';
import { changedAttributes } from '../audit/differences.ts';
import { type AccountRow, lockAccount, writeAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import { findRevocation, insertRevocation } from '../store/revocations.ts';
import { type ChangeDependencies, waitForAccountChange } from './wait-for-propagation.ts';

/** A change of an account. */
export interface AccountChangeOptions {
  accountId: string;
  actor: Actor;
  /** For the audit log, such as `account.suspend`. */
  action: string;
  /** What the log and the error message of an unfinished wait say. */
  done: string;
}

/**
 * Changes an account, and waits until the change is in force for all its keys at every ingress. When nothing changes, only
 * the wait for the last change is repeated.
 *
 * @param fieldsOf returns the fields to change; undefined when they already have these values
 */
export async function changeAccount(
  deps: ChangeDependencies,
  { accountId, actor, action, done }: AccountChangeOptions,
  fieldsOf: (known: AccountRow) => Partial<AccountRow> | undefined,
  signal: AbortSignal,
): Promise<AccountRow> {
  const { account, sequence } = await inTransaction(deps.pool, async (client) => {
    const known = await lockAccount(client, accountId);
    if (known === undefined) throw new RpcError('not_found', 'no such account');
    const fields = fieldsOf(known);
    if (fields === undefined) return { account: known, sequence: await findRevocation(client, accountId) };
    const written = await writeAccount(client, { ...known, ...fields });
    const { revision, name: targetName } = written;
    const details = changedAttributes(accountAttributes(known), accountAttributes(written));
    if (Object.keys(details).length > 0) {
      await insertAudit(client, { accountId, actor, action, targetId: accountId, targetName, details });
    }
    return { account: written, sequence: await insertRevocation(client, { kind: 'account', accountId, revision }) };
  });
  deps.logger.info({ account_id: accountId }, done);
  await waitForAccountChange(deps, { account, sequence, done }, signal);
  return account;
}
