import { RpcError } from '@tollgate/common/errors';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { lockAccount } from '../store/accounts.ts';
import { countMembers, findMember, type MemberRow } from '../store/memberships.ts';

/** Locks the members of an account until the end of the transaction, and returns one of them. */
export async function lockMember(client: PoolClient, accountId: string, personId: string): Promise<MemberRow> {
  const account = await lockAccount(client, accountId);
  const member = account === undefined ? undefined : await findMember(client, accountId, personId);
  if (member === undefined) throw new RpcError('not_found', 'no such member');
  return member;
}

/** Refuses to change or remove the last owner of an account whose members are locked. */
export async function requireAnotherOwner(client: PoolClient, accountId: string): Promise<void> {
  if ((await countMembers(client, accountId)).owners > 1) return;
  throw new RpcError('failed_precondition', 'the last owner of an account can neither be removed nor get another role');
}
