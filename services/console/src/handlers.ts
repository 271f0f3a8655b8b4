import type { Dependencies } from './dependencies.ts';
import { createAccountHandlers } from './handlers/accounts/index.ts';
import { auditHandlers } from './handlers/audit.ts';
import { createGetConfigHandler } from './handlers/get-config.ts';
import { keyHandlers } from './handlers/keys.ts';
import { ledgerStatusHandlers } from './handlers/ledger-status.ts';
import { managementKeyHandlers } from './handlers/management-keys.ts';
import { createMemberHandlers } from './handlers/members/index.ts';
import { modelHandlers } from './handlers/models.ts';
import { createOperatorHandlers } from './handlers/operators/index.ts';
import { operatorHandlers } from './handlers/operators.ts';
import { playgroundHandlers } from './handlers/playground.ts';
import { providerHandlers } from './handlers/providers.ts';
import { requestHandlers } from './handlers/requests.ts';
import { createSignInHandlers } from './handlers/sign-in/index.ts';
import { createSignOutHandler } from './handlers/sign-out.ts';
import type { Handlers as OldHandlers } from './http/handler.ts';
import type { Handlers } from './http/handlers.ts';

/** The handlers of the console's operations. */
export function createHandlers(deps: Dependencies): Handlers {
  return {
    ...keyHandlers(deps),
    ...managementKeyHandlers(deps),
    ...requestHandlers(deps),
    ...modelHandlers(deps),
    ...playgroundHandlers(deps),
    ...auditHandlers(deps),
    ...operatorHandlers(deps),
    ...providerHandlers(deps),
    ...ledgerStatusHandlers(deps),
  };
}

/** The handler of each operation, by its route, in the order of the API. */
export function createOldHandlers(deps: Dependencies): OldHandlers {
  return {
    'GET /config': createGetConfigHandler(deps),
    'DELETE /session': createSignOutHandler(deps),
    ...createSignInHandlers(deps),
    ...createAccountHandlers(deps),
    ...createMemberHandlers(deps),
    ...createOperatorHandlers(deps),
  };
}
