import type { Dependencies } from './dependencies.ts';
import { createAccountHandlers } from './handlers/accounts/index.ts';
import { createAuditHandlers } from './handlers/audit/index.ts';
import { createGetConfigHandler } from './handlers/get-config.ts';
import { keyHandlers } from './handlers/keys.ts';
import { managementKeyHandlers } from './handlers/management-keys.ts';
import { createMemberHandlers } from './handlers/members/index.ts';
import { createListModelsHandler } from './handlers/models/list-models.ts';
import { createOperatorHandlers } from './handlers/operators/index.ts';
import { createPlaygroundHandler } from './handlers/playground/chat.ts';
import { createRequestHandlers } from './handlers/requests/index.ts';
import { createSignInHandlers } from './handlers/sign-in/index.ts';
import { createSignOutHandler } from './handlers/sign-out.ts';
import type { Handlers as OldHandlers } from './http/handler.ts';
import type { Handlers } from './http/handlers.ts';

/** The handlers of the console's operations. */
export function createHandlers(deps: Dependencies): Handlers {
  return { ...keyHandlers(deps), ...managementKeyHandlers(deps) };
}

/** The handler of each operation, by its route, in the order of the API. */
export function createOldHandlers(deps: Dependencies): OldHandlers {
  return {
    'GET /config': createGetConfigHandler(deps),
    'DELETE /session': createSignOutHandler(deps),
    ...createSignInHandlers(deps),
    ...createAccountHandlers(deps),
    ...createRequestHandlers(deps),
    'GET /accounts/{account_id}/models': createListModelsHandler(deps),
    'POST /accounts/{account_id}/playground': createPlaygroundHandler(deps),
    ...createMemberHandlers(deps),
    ...createAuditHandlers(deps),
    ...createOperatorHandlers(deps),
  };
}
