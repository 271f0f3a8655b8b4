import type { Dependencies } from '../../dependencies.ts';
import { passOn } from '../../http/pass-on.ts';

const CREATE = 'tollgate.auth.v1.AuthService/CreateManagementKey';
const LIST = 'tollgate.auth.v1.AuthService/ListManagementKeys';
const DELETE = 'tollgate.auth.v1.AuthService/DeleteManagementKey';

/** Handlers of management keys. */
export function createManagementKeyHandlers({ auth }: Dependencies) {
  return {
    'GET /accounts/{account_id}/management-keys': passOn<'GET /accounts/{account_id}/management-keys'>(auth, LIST, {
      list: 'keys',
    }),
    'POST /accounts/{account_id}/management-keys': passOn<'POST /accounts/{account_id}/management-keys'>(auth, CREATE),
    'DELETE /accounts/{account_id}/management-keys/{management_key_id}':
      passOn<'DELETE /accounts/{account_id}/management-keys/{management_key_id}'>(auth, DELETE, { result: 'key' }),
    'GET /operator/management-keys': passOn<'GET /operator/management-keys'>(auth, LIST, { list: 'keys' }),
    'POST /operator/management-keys': passOn<'POST /operator/management-keys'>(auth, CREATE, {
      given: { role: 'operator' },
    }),
    'DELETE /operator/management-keys/{management_key_id}':
      passOn<'DELETE /operator/management-keys/{management_key_id}'>(auth, DELETE, { result: 'key' }),
  };
}
