import type { Dependencies } from '../../dependencies.ts';
import { passOn } from '../../http/pass-on.ts';
import { createDeleteKeyHandler } from './delete-key.ts';
import { createFindKeysHandler } from './find-keys.ts';
import { createGetKeyHandler } from './get-key.ts';
import { createGetKeyPropagationHandler } from './get-key-propagation.ts';
import { createListKeysHandler } from './list-keys.ts';

const AUTH = 'tollgate.auth.v1.AuthService';

/** Handlers of API keys. */
export function createKeyHandlers(deps: Dependencies) {
  return {
    'GET /accounts/{account_id}/keys': createListKeysHandler(deps),
    'POST /accounts/{account_id}/keys': passOn<'POST /accounts/{account_id}/keys'>(deps.auth, `${AUTH}/CreateKey`),
    'GET /accounts/{account_id}/keys/{key_id}': createGetKeyHandler(deps),
    'PATCH /accounts/{account_id}/keys/{key_id}': passOn<'PATCH /accounts/{account_id}/keys/{key_id}'>(
      deps.auth,
      `${AUTH}/UpdateKey`,
      { result: 'key', done: 'The key is changed' },
    ),
    'DELETE /accounts/{account_id}/keys/{key_id}': createDeleteKeyHandler(deps),
    'POST /accounts/{account_id}/keys/{key_id}/rotate': passOn<'POST /accounts/{account_id}/keys/{key_id}/rotate'>(
      deps.auth,
      `${AUTH}/RotateKey`,
      { done: 'The key has a new value' },
    ),
    'GET /accounts/{account_id}/keys/{key_id}/propagation': createGetKeyPropagationHandler(deps),
    'POST /accounts/{account_id}/keys/find': createFindKeysHandler(deps),
  };
}
