import { MEMBER_ROLES, type RoleName, roleName } from '@tollgate/common/actors/roles';
import type { Invitation, ManagementKey, Member, Role } from '@tollgate/proto/auth';
import { required } from '../required.ts';
import { renderTime, renderTimeOrNull, textOrNull } from './time.ts';

export function renderMember(member: Member) {
  const person = required(member.person);
  return {
    person_id: person.personId,
    email: person.email,
    name: person.name,
    role: memberRoleOf(member.role),
    joined_at: renderTime(member.joinedAtMs),
  };
}

export function renderInvitation(invitation: Invitation) {
  return {
    invitation_id: invitation.invitationId,
    email: invitation.email,
    role: roleNameOf(invitation.role),
    invited_by: invitation.invitedBy,
    created_at: renderTime(invitation.createdAtMs),
    expires_at: renderTime(invitation.expiresAtMs),
  };
}

export function renderManagementKey(key: ManagementKey, nowMs: number) {
  return {
    management_key_id: key.managementKeyId,
    name: key.name,
    role: roleNameOf(key.role),
    status: statusOf(key, nowMs),
    display_prefix: key.displayPrefix,
    last_four: key.lastFour,
    created_by: {
      person_id: textOrNull(key.createdById),
      name: key.createdByName,
      removed: key.creatorRemoved,
    },
    created_at: renderTime(key.createdAtMs),
    expires_at: renderTime(key.expiresAtMs),
    last_used_at: renderTimeOrNull(key.lastUsedAtMs),
  };
}

function statusOf(key: ManagementKey, nowMs: number): 'active' | 'expired' | 'deleted' {
  if (key.deletedAtMs !== 0n) return 'deleted';
  return key.expiresAtMs <= nowMs ? 'expired' : 'active';
}

function roleNameOf(role: Role): RoleName {
  const name = roleName(role);
  if (name === undefined) throw new Error('auth has returned no role');
  return name;
}

function memberRoleOf(role: Role): (typeof MEMBER_ROLES)[number] {
  const name = MEMBER_ROLES.find((each) => each === roleName(role));
  if (name === undefined) throw new Error('auth has returned a member without a role');
  return name;
}
