import type { RoleName } from '@tollgate/common/actors/roles';
import type { JsonOf } from '@tollgate/common/descriptors/json-types';
import type { ManagementKey, ManagementKeyCreator } from '@tollgate/proto/auth';
import { entity } from './described.ts';

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

entity<JsonOf<ManagementKeyCreator>>('tollgate.auth.v1.ManagementKeyCreator', {
  removed: 'Neither a member of the account nor an operator any more.',
});
export const managementKey = entity<ManagementKeyJson>('tollgate.auth.v1.ManagementKey');
