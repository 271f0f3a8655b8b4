import type { MemberRole, RoleName } from '@tollgate/common/actors/roles';
import type { JsonOf } from '@tollgate/common/descriptors/json-types';
import type { ManagementKey, ManagementKeyCreator } from '@tollgate/proto/auth';
import { z } from 'zod';
import { entity, requestBody } from './described.ts';
import { accountPath, id } from './fields.ts';
import { operation } from './operation.ts';

const OWNER = ['operator', 'owner'] as const;

type ManagementKeyJson = JsonOf<
  Omit<ManagementKey, 'accountId' | 'deletedAtMs'>,
  {
    role: RoleName;
    status: 'active' | 'expired' | 'deleted';
    created_by: JsonOf<ManagementKeyCreator>;
    created_at: string;
    expires_at: string;
  }
>;

/** What a new management key is given. */
interface NewManagementKey {
  name: string;
  role: MemberRole;
  expires_at: string;
}

entity<JsonOf<ManagementKeyCreator>>('tollgate.auth.v1.ManagementKeyCreator', {
  removed: 'Neither a member of the account nor an operator any more.',
});
export const managementKey = entity<ManagementKeyJson>('tollgate.auth.v1.ManagementKey');

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
    body: requestBody<NewManagementKey, keyof NewManagementKey>('tollgate.auth.v1.CreateManagementKeyRequest', [
      'account_id',
    ]),
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
