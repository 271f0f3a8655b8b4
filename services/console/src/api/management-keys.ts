import { z } from 'zod';
import { accountPath, id, memberRole, name, role, time } from './fields.ts';
import { operation } from './operation.ts';

const OWNER = ['operator', 'owner'] as const;

export const managementKey = z.object({
  management_key_id: id,
  name: z.string(),
  role,
  status: z.enum(['active', 'expired', 'deleted']),
  display_prefix: z.string(),
  last_four: z.string(),
  created_by: z.object({
    person_id: id.nullable(),
    name: z.string(),
    removed: z.boolean().describe('Neither a member of the account nor an operator any more.'),
  }),
  created_at: time,
  expires_at: time,
  last_used_at: time.nullable(),
});

export const newManagementKey = z.object({ key: managementKey, secret: z.string() });

/** Management keys of an account. Only people make and delete them. */
export const managementKeyOperations = {
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
};
