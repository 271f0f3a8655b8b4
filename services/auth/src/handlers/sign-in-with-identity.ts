import type { MemberRole } from '@tollgate/common/actors/roles';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { Identity, Join, SignInWithIdentityRequest, SignInWithIdentityResponse } from '@tollgate/proto/auth';
import { actorOfPerson } from '../people/actor-of-person.ts';
import { joinAs, lockMembersOf } from '../people/join.ts';
import { MAX_MEMBERS, MAX_MEMBERSHIPS } from '../people/limits.ts';
import { findAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import { findPersonByIdentity, insertIdentity } from '../store/identities.ts';
import { listInvitationsOfEmail, removeInvitation } from '../store/invitations.ts';
import { countMembers } from '../store/memberships.ts';
import {
  findPersonByEmail,
  handOver,
  insertPerson,
  lockEmail,
  lockPerson,
  type PersonRow,
  toPerson,
} from '../store/people.ts';
import { optionalTextArgument } from './arguments.ts';
import { emailArgument, identityArgument, memberRoleArgument } from './people-arguments.ts';

/** A sign-in by an identity that is not linked yet. */
interface NewIdentity {
  identity: Identity;
  email: string;
  name: string;
  join: { accountId: string; role: MemberRole } | undefined;
}

/**
 * Returns the person of an identity. A new identity is linked to the person with its verified address, who takes over from
 * whoever registered it without reading its mailbox. If there is none, the person is created who has been invited, or whose
 * domain may join an account by itself.
 */
export function createSignInWithIdentityHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<SignInWithIdentityRequest, SignInWithIdentityResponse> {
  return async (request) => {
    const identity = identityArgument('identity', request.identity);
    const name = optionalTextArgument('name', request.name, 200);
    const join = joinArgument(request.join);
    const linked = await findPersonByIdentity(pool, identity);
    if (linked !== undefined) return { person: toPerson(linked) };
    if (request.verifiedEmail === '') throw notInvited();
    const email = emailArgument('verified_email', request.verifiedEmail);
    const person = await inTransaction(pool, (client) => signInAnew(client, { identity, email, name, join }));
    return { person: toPerson(person) };
  };
}

async function signInAnew(client: PoolClient, signIn: NewIdentity): Promise<PersonRow> {
  const { identity, email } = signIn;
  await lockEmail(client, email);
  const known = await findPersonByEmail(client, email);
  const person = (known && (await lockPerson(client, known.person_id))) ?? (await createPerson(client, signIn));
  if (!(await insertIdentity(client, identity, person.person_id))) {
    const owner = await findPersonByIdentity(client, identity);
    // Somebody else may have got the address since the first identity was linked.
    if (owner?.person_id !== person.person_id) {
      throw new RpcError('permission_denied', 'another identity of this provider is linked to the e-mail address');
    }
    return owner;
  }
  // Somebody else may have registered the address before, by a link that they were shown.
  const linked = known === undefined ? { ...person, has_identity: true } : await handOver(client, person.person_id);
  const isRemoved = person.password_hash !== null && linked.password_hash === null;
  const ended: Record<string, string> = known === undefined ? {} : { sessions: 'ended' };
  const details = { issuer: identity.issuer, ...ended, ...(isRemoved ? { password: 'removed' } : {}) };
  const target = { targetId: person.person_id, targetName: email, details };
  const change = { accountId: undefined, actor: actorOfPerson(person), action: 'identity.link' };
  await insertAudit(client, { ...change, ...target });
  return linked;
}

/** Creates a person who has been invited, or whose domain may join, and lets them in. */
async function createPerson(client: PoolClient, signIn: NewIdentity): Promise<PersonRow> {
  const { email, name, identity } = signIn;
  const invitations = await listInvitationsOfEmail(client, email, MAX_MEMBERSHIPS);
  if (invitations.length === 0 && signIn.join === undefined) throw notInvited();
  // All at once: an invitation may be withdrawn meanwhile, and the account to join come before those locked for it.
  const joinable = signIn.join === undefined ? [] : [signIn.join.accountId];
  await lockMembersOf(client, [...invitations.map(({ account_id }) => account_id), ...joinable]);
  let person = await insertPerson(client, {
    personId: newId(),
    email,
    name,
    passwordHash: undefined,
    passwordProven: false,
  });
  let joined = 0;
  for (const invitation of invitations) {
    if (!(await removeInvitation(client, invitation.invitation_id))) continue;
    const { account_id: accountId, role, invited_by } = invitation;
    person = await joinAs(client, person, { accountId: accountId ?? undefined, role, details: { invited_by } });
    joined += 1;
  }
  if (joined > 0) return person;
  if (signIn.join === undefined) throw notInvited();
  const { accountId } = signIn.join;
  if ((await findAccount(client, accountId)) === undefined) {
    throw new RpcError('not_found', 'join.account_id: no such account');
  }
  if ((await countMembers(client, accountId)).members >= MAX_MEMBERS) {
    throw new RpcError('resource_exhausted', `an account can have at most ${MAX_MEMBERS} members`);
  }
  return joinAs(client, person, { ...signIn.join, details: { issuer: identity.issuer } });
}

function joinArgument(value: Join | undefined): NewIdentity['join'] {
  if (value === undefined) return undefined;
  return {
    accountId: uuidArgument('join.account_id', value.accountId),
    role: memberRoleArgument('join.role', value.role),
  };
}

function notInvited(): RpcError {
  return new RpcError('permission_denied', 'nobody has invited this person');
}
