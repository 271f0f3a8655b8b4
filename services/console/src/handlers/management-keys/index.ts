import type { Dependencies } from '../../dependencies.ts';
import { createCreateManagementKeyHandler } from './create-management-key.ts';
import { createCreateOperatorManagementKeyHandler } from './create-operator-management-key.ts';
import { createDeleteManagementKeyHandler } from './delete-management-key.ts';
import { createDeleteOperatorManagementKeyHandler } from './delete-operator-management-key.ts';
import { createListManagementKeysHandler } from './list-management-keys.ts';
import { createListOperatorManagementKeysHandler } from './list-operator-management-keys.ts';

/** Handlers of management keys. */
export function createManagementKeyHandlers(deps: Dependencies) {
  return {
    'GET /accounts/{account_id}/management-keys': createListManagementKeysHandler(deps),
    'POST /accounts/{account_id}/management-keys': createCreateManagementKeyHandler(deps),
    'DELETE /accounts/{account_id}/management-keys/{management_key_id}': createDeleteManagementKeyHandler(deps),
    'GET /operator/management-keys': createListOperatorManagementKeysHandler(deps),
    'POST /operator/management-keys': createCreateOperatorManagementKeyHandler(deps),
    'DELETE /operator/management-keys/{management_key_id}': createDeleteOperatorManagementKeyHandler(deps),
  };
}
