import type { Dependencies } from '../../dependencies.ts';
import { createCreateKeyHandler } from './create-key.ts';
import { createDeleteKeyHandler } from './delete-key.ts';
import { createFindKeysHandler } from './find-keys.ts';
import { createGetKeyHandler } from './get-key.ts';
import { createGetKeyPropagationHandler } from './get-key-propagation.ts';
import { createListKeysHandler } from './list-keys.ts';
import { createRotateKeyHandler } from './rotate-key.ts';
import { createUpdateKeyHandler } from './update-key.ts';

/** Handlers of API keys. */
export function createKeyHandlers(deps: Dependencies) {
  return {
    'GET /accounts/{account_id}/keys': createListKeysHandler(deps),
    'POST /accounts/{account_id}/keys': createCreateKeyHandler(deps),
    'GET /accounts/{account_id}/keys/{key_id}': createGetKeyHandler(deps),
    'PATCH /accounts/{account_id}/keys/{key_id}': createUpdateKeyHandler(deps),
    'DELETE /accounts/{account_id}/keys/{key_id}': createDeleteKeyHandler(deps),
    'POST /accounts/{account_id}/keys/{key_id}/rotate': createRotateKeyHandler(deps),
    'GET /accounts/{account_id}/keys/{key_id}/propagation': createGetKeyPropagationHandler(deps),
    'POST /accounts/{account_id}/keys/find': createFindKeysHandler(deps),
  };
}
