import { isMemberRole, type RoleName } from '@tollgate/common/actors/roles';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { lockAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import { insertMembership } from '../store/memberships.ts';
import { lockOperators, lockPerson, type PersonRow, writePerson } from '../store/people.ts';
import { actorOfPerson } from './actor-of-person.ts';

/**
 * Locks the members of accounts, and the operators for null, in the order of all handlers: accounts by their ids, then the
 * operators. Called once in a transaction, before invitations are used up.
 */
export async function lockMembersOf(client: PoolClient, accountIds: readonly (string | null)[]): Promise<void> {
  const ofMembers = accountIds.filter((accountId) => accountId !== null);
  for (const accountId of [...new Set(ofMembers)].sort()) await lockAccount(client, accountId);
  if (accountIds.includes(null)) await lockOperators(client);
}

/** How somebody joins an account, or the operators. */
export interface Joining {
  /** Undefined: the operators. */
  accountId: string | undefined;
  role: RoleName;
  /** For the audit log: who invited them, or the identity provider. */
  details: Readonly<Record<string, string>>;
}

/** Makes a person a member of an account that is locked, or an operator. They keep a role that they have already. */
export async function joinAs(client: PoolClient, person: PersonRow, joining: Joining): Promise<PersonRow> {
  const { accountId, role, details } = joining;
  const { person_id: personId, email } = person;
  const target = { targetId: personId, targetName: email, details: { role, ...details } };
  const actor = actorOfPerson(person, role);
  if (accountId === undefined) {
    // Read again under the lock: a password may have been set since.
    const current = (await lockPerson(client, personId)) ?? person;
    if (current.is_operator) return current;
    await insertAudit(client, { accountId, actor, action: 'operator.add', ...target });
    return writePerson(client, { ...current, is_operator: true });
  }
  if (!isMemberRole(role)) throw new Error('a member cannot have the role operator');
  if (await insertMembership(client, { accountId, personId, role })) {
    await insertAudit(client, { accountId, actor, action: 'member.add', ...target });
  }
  return person;
}
