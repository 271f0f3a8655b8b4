import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { CreateInvitationRequest, CreateInvitationResponse } from '@tollgate/proto/auth';
import { timeText } from '../audit/attributes.ts';
import { requireCurrentRole } from '../people/current-role.ts';
import { EXPIRED_AT_ONCE, MAX_MEMBERS } from '../people/limits.ts';
import { requireMayManage } from '../rules/actor-rules.ts';
import { lockAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import {
  countInvitations,
  findInvitationOfEmail,
  removeExpiredInvitations,
  replaceInvitation,
  toInvitation,
} from '../store/invitations.ts';
import { countMembers, findRights } from '../store/memberships.ts';
import { countOperators, findPersonByEmail, lockOperators } from '../store/people.ts';
import { sha256Argument } from './arguments.ts';
import { emailArgument, expiryArgument, roleArgument } from './people-arguments.ts';

const MAX_DAYS = 30;

/** Invites an e-mail address to an account, or to be an operator, in place of an open invitation of the same address. */
export function createCreateInvitationHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<CreateInvitationRequest, CreateInvitationResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const email = emailArgument('email', request.email);
    const role = roleArgument('role', request.role, accountId);
    const secretSha256 = sha256Argument('secret_sha256', request.secretSha256);
    const expiresAt = expiryArgument('expires_at_ms', request.expiresAtMs, { maxDays: MAX_DAYS, nowMs: Date.now() });
    requireMayManage(actor, role);
    const invitation = await inTransaction(pool, async (client) => {
      const count = await lockAndCount(client, accountId, email);
      await requireCurrentRole(client, actor, accountId);
      const replaced = await findInvitationOfEmail(client, accountId, email);
      if (replaced !== undefined) requireMayManage(actor, replaced.role);
      else if (count >= MAX_MEMBERS) {
        throw new RpcError('resource_exhausted', `at most ${MAX_MEMBERS} members and open invitations are possible`);
      }
      const invitationId = newId();
      const mailed = request.mailed === true;
      const about = { invitedBy: actor.name, expiresAt, mailed };
      const fields = { invitationId, accountId, email, role, secretSha256, ...about };
      const inserted = await replaceInvitation(client, fields);
      if (inserted === undefined) throw new RpcError('already_exists', 'secret_sha256: is in use');
      const details = { role, expires_at: timeText(expiresAt) };
      const target = { targetId: invitationId, targetName: email, details };
      await insertAudit(client, { accountId, actor, action: 'invitation.create', ...target });
      await removeExpiredInvitations(client, EXPIRED_AT_ONCE);
      return inserted;
    });
    return { invitation: toInvitation(invitation) };
  };
}

/**
 * Locks the members of an account, or the operators, and counts them with the open invitations.
 *
 * @throws RpcError already_exists: somebody with this address is one of them
 */
async function lockAndCount(client: PoolClient, accountId: string | undefined, email: string): Promise<number> {
  if (accountId === undefined) {
    await lockOperators(client);
    const person = await findPersonByEmail(client, email);
    if (person?.is_operator === true) throw new RpcError('already_exists', `${email} is an operator already`);
    return (await countOperators(client)) + (await countInvitations(client, undefined));
  }
  if ((await lockAccount(client, accountId)) === undefined) throw new RpcError('not_found', 'no such account');
  const person = await findPersonByEmail(client, email);
  const rights = person === undefined ? undefined : await findRights(client, accountId, person.person_id);
  if (rights !== undefined) throw new RpcError('already_exists', `${email} is a member already`);
  return (await countMembers(client, accountId)).members + (await countInvitations(client, accountId));
}
