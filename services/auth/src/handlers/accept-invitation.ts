import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { AcceptInvitationRequest, AcceptInvitationResponse } from '@tollgate/proto/auth';
import { joinAs, lockMembersOf } from '../people/join.ts';
import { findInvitation, type InvitationRow, removeInvitation } from '../store/invitations.ts';
import { findPersonByEmail, insertPerson, lockEmail, lockPerson, type PersonRow, toPerson } from '../store/people.ts';
import { plainTextArgument, sha256Argument } from './arguments.ts';
import { passwordHashArgument } from './people-arguments.ts';

/** Who accepts an invitation. */
type Accepting =
  | { kind: 'known'; personId: string; sessionGeneration: number | undefined }
  | { kind: 'new'; name: string; passwordHash: string };

/**
 * Accepts an invitation, which is used up. By a link that was not mailed somebody new only gets a password, and accepts it
 * once they have signed in: whoever has such a link may be the one who invites, and does not learn whose the address is.
 */
export function createAcceptInvitationHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<AcceptInvitationRequest, AcceptInvitationResponse> {
  return async (request) => {
    const secretSha256 = sha256Argument('secret_sha256', request.secretSha256);
    const who = whoArgument(request);
    return inTransaction(pool, async (client) => {
      const invitation = await findInvitation(client, secretSha256);
      if (invitation === undefined) throw notOpen();
      // In the order of all handlers: the address, the account or operators, the invitation.
      await lockEmail(client, invitation.email);
      if (who.kind === 'new' && !invitation.mailed) {
        const isFree = (await findPersonByEmail(client, invitation.email)) === undefined;
        if (isFree) await insertNewPerson(client, who, invitation);
        return { person: undefined, accountId: '' };
      }
      await lockMembersOf(client, [invitation.account_id]);
      if (!(await removeInvitation(client, invitation.invitation_id))) throw notOpen();
      const person = await personOf(client, who, invitation);
      const { account_id: accountId, role, invited_by } = invitation;
      const joining = { accountId: accountId ?? undefined, role, details: { invited_by } };
      return { person: toPerson(await joinAs(client, person, joining)), accountId: accountId ?? '' };
    });
  };
}

function whoArgument({ who, sessionGeneration }: AcceptInvitationRequest): Accepting {
  switch (who?.$case) {
    case undefined:
      throw new RpcError('invalid_argument', 'who: person_id or new_person must be set');
    case 'personId':
      return { kind: 'known', personId: uuidArgument('person_id', who.value), sessionGeneration };
    case 'newPerson':
      return {
        kind: 'new',
        name: plainTextArgument('new_person.name', who.value.name, 200),
        passwordHash: passwordHashArgument('new_person.password_hash', who.value.passwordHash),
      };
    default:
      return who satisfies never;
  }
}

/** The person who accepts, created if they are new. The address is locked. */
async function personOf(client: PoolClient, who: Accepting, invitation: InvitationRow): Promise<PersonRow> {
  const owner = await findPersonByEmail(client, invitation.email);
  if (who.kind === 'known') {
    if (owner?.person_id !== who.personId) {
      throw new RpcError('failed_precondition', 'the invitation is for another e-mail address');
    }
    // Locked, so that the session does not end before they have joined.
    const { session_generation: current } = (await lockPerson(client, owner.person_id)) ?? owner;
    if (current === who.sessionGeneration) return owner;
    throw new RpcError('unauthenticated', 'the session has ended');
  }
  if (owner !== undefined) {
    throw new RpcError('failed_precondition', 'the e-mail address belongs to a person, who has to sign in first');
  }
  return insertNewPerson(client, who, invitation);
}

function insertNewPerson(
  client: PoolClient,
  { name, passwordHash }: Extract<Accepting, { kind: 'new' }>,
  { email, mailed }: InvitationRow,
): Promise<PersonRow> {
  return insertPerson(client, { personId: newId(), email, name, passwordHash, passwordProven: mailed });
}

function notOpen(): RpcError {
  return new RpcError('not_found', 'the invitation is unknown, used or expired');
}
