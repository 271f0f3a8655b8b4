import { z } from 'zod';
import {
  accountPath,
  actor,
  cursor,
  email,
  id,
  limit,
  memberRole,
  name,
  nextCursor,
  range,
  role,
  time,
} from './fields.ts';
import { key } from './keys.ts';
import { operation } from './operation.ts';

const MEMBERS = ['operator', 'owner', 'admin'] as const;
const OWNER = ['operator', 'owner'] as const;

const member = z.object({ person_id: id, email: z.string(), name: z.string(), role: memberRole, joined_at: time });

export const invitation = z.object({
  invitation_id: id,
  email: z.string(),
  role,
  invited_by: z.string(),
  created_at: time,
  expires_at: time,
});

/** A new invitation, and its link where it was not sent by e-mail. */
export const newInvitation = z.object({ invitation, mailed: z.boolean(), link: z.string().nullable() });

export const managementKey = z.object({
  management_key_id: id,
  name: z.string(),
  role,
  status: z.enum(['active', 'expired', 'deleted']),
  display_prefix: z.string(),
  last_four: z.string(),
  /** `removed`: neither a member of the account nor an operator any more. */
  created_by: z.object({ person_id: id.nullable(), name: z.string(), removed: z.boolean() }),
  created_at: time,
  expires_at: time,
  last_used_at: time.nullable(),
});

export const newManagementKey = z.object({ key: managementKey, secret: z.string() });

export const auditEntry = z.object({
  entry_id: id,
  created_at: time,
  account_id: id.nullable(),
  actor,
  /** Such as `key.delete`. */
  action: z.string(),
  target_id: z.string(),
  target_name: z.string(),
  details: z.record(z.string(), z.string()),
});

export const auditFilters = {
  ...range,
  actor_id: id.optional(),
  target_id: z.string().max(100).optional(),
  action: z.string().max(100).optional(),
};

const invitationPath = z.strictObject({ account_id: id, invitation_id: id });
const memberPath = z.strictObject({ account_id: id, person_id: id });

/** Members, invitations, management keys and the audit log of an account. */
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
  'GET /accounts/{account_id}/management-keys': operation({
    id: 'listManagementKeys',
    summary: 'Keys for programs that manage the account',
    access: OWNER,
    path: accountPath,
    response: z.object({ data: z.array(managementKey) }),
  }),
  'POST /accounts/{account_id}/management-keys': operation({
    id: 'createManagementKey',
    summary: 'Create a management key; its value is only in this response',
    access: OWNER,
    path: accountPath,
    body: z.strictObject({ name, role: memberRole, expires_at: time }),
    response: newManagementKey,
  }),
  'DELETE /accounts/{account_id}/management-keys/{management_key_id}': operation({
    id: 'deleteManagementKey',
    summary: 'Delete a management key; it stops working within a minute',
    access: OWNER,
    path: z.strictObject({ account_id: id, management_key_id: id }),
    response: managementKey,
  }),
  'GET /accounts/{account_id}/audit': operation({
    id: 'listAudit',
    summary: 'Who did what, newest first',
    access: OWNER,
    programs: true,
    path: accountPath,
    query: z.strictObject({ ...auditFilters, limit: limit.default(50), cursor: cursor.optional() }),
    response: z.object({ data: z.array(auditEntry), next_cursor: nextCursor }),
  }),
  'GET /accounts/{account_id}/audit/export': operation({
    id: 'exportAudit',
    summary: 'The same as CSV or as one JSON object a line, streamed',
    access: OWNER,
    programs: true,
    path: accountPath,
    query: z.strictObject({ ...auditFilters, format: z.enum(['csv', 'json']) }),
    response: 'stream',
  }),
};
