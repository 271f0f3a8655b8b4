import { MEMBER_ROLES, roleName } from '@tollgate/common/actors/roles';
import { writerOf } from '@tollgate/common/descriptors/json';
import type { Invitation, Member, Role } from '@tollgate/proto/auth';
import type { InvitationJson } from '../api/members.ts';
import { required } from '../required.ts';
import { renderTime } from './time.ts';

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

export const renderInvitation = writerOf<Invitation, InvitationJson>('tollgate.auth.v1.Invitation');

function memberRoleOf(role: Role): (typeof MEMBER_ROLES)[number] {
  const name = MEMBER_ROLES.find((each) => each === roleName(role));
  if (name === undefined) throw new Error('auth has returned a member without a role');
  return name;
}
