import type { RoleName } from '@tollgate/common/actors/roles';
import type { JsonOf } from '@tollgate/common/descriptors/json-types';
import type { Invitation } from '@tollgate/proto/auth';
import { z } from 'zod';
import { entity } from './described.ts';
import { accountPath, email, id, memberRole, time } from './fields.ts';
import { key } from './keys.ts';
import { managementKey } from './management-keys.ts';
import { operation } from './operation.ts';

const MEMBERS = ['operator', 'owner', 'admin'] as const;

export const member = z.object({
  person_id: id,
  email: z.string(),
  name: z.string(),
  role: memberRole,
  joined_at: time,
});

export type InvitationJson = JsonOf<
  Omit<Invitation, 'accountId' | 'accountName'>,
  { role: RoleName; created_at: string; expires_at: string }
>;

export const invitation = entity<InvitationJson>('tollgate.auth.v1.Invitation');

export const newInvitation = z.object({
  invitation,
  mailed: z.boolean().describe('Whether the link was sent by e-mail.'),
  link: z.string().nullable().describe('To copy, where e-mail is not configured. Null: it was sent by e-mail.'),
});

const invitationPath = z.strictObject({ account_id: id, invitation_id: id });
const memberPath = z.strictObject({ account_id: id, person_id: id });

/** Members and invitations of an account. */
export const memberOperations = {
  'GET /accounts/{account_id}/members': operation({
    id: 'listMembers',
    summary: 'Members and open invitations',
    access: MEMBERS,
    programs: true,
    path: accountPath,
    response: z.object({ data: z.array(member), invitations: z.array(invitation) }),
  }),
  'PATCH /accounts/{account_id}/members/{person_id}': operation({
    id: 'updateMember',
    summary: 'Change the role of a member; admins neither make nor change owners',
    access: MEMBERS,
    programs: true,
    path: memberPath,
    body: z.strictObject({ role: memberRole }),
    response: member,
  }),
  'DELETE /accounts/{account_id}/members/{person_id}': operation({
    id: 'removeMember',
    summary: 'Remove a member; returns the active API keys and management keys they made, which stay valid',
    access: MEMBERS,
    programs: true,
    path: memberPath,
    response: z.object({ keys: z.array(key), management_keys: z.array(managementKey) }),
  }),
  'POST /accounts/{account_id}/invitations': operation({
    id: 'createInvitation',
    summary: 'Invite an e-mail address; returns the link where e-mail is not configured',
    access: MEMBERS,
    programs: true,
    path: accountPath,
    body: z.strictObject({ email, role: memberRole }),
    response: newInvitation,
  }),
  'DELETE /accounts/{account_id}/invitations/{invitation_id}': operation({
    id: 'deleteInvitation',
    summary: 'Withdraw an invitation',
    access: MEMBERS,
    programs: true,
    path: invitationPath,
    response: null,
  }),
};
