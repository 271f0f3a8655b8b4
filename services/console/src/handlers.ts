import type { Dependencies } from './dependencies.ts';
import { accountHandlers } from './handlers/accounts.ts';
import { alertHandlers } from './handlers/alerts.ts';
import { auditHandlers } from './handlers/audit.ts';
import { deviceHandlers } from './handlers/devices.ts';
import { documentHandlers } from './handlers/documents.ts';
import { focusHandlers } from './handlers/focus.ts';
import { invitationHandlers } from './handlers/invitations.ts';
import { keyHandlers } from './handlers/keys.ts';
import { ledgerStatusHandlers } from './handlers/ledger-status.ts';
import { limitRequestHandlers } from './handlers/limit-requests.ts';
import { limitHandlers } from './handlers/limits.ts';
import { managementKeyHandlers } from './handlers/management-keys.ts';
import { memberHandlers } from './handlers/members.ts';
import { modelHandlers } from './handlers/models.ts';
import { operatorHandlers } from './handlers/operators.ts';
import { overviewHandlers } from './handlers/overview.ts';
import { passwordHandlers } from './handlers/passwords.ts';
import { playgroundHandlers } from './handlers/playground.ts';
import { providerBillHandlers } from './handlers/provider-bills.ts';
import { providerHandlers } from './handlers/providers.ts';
import { requestHandlers } from './handlers/requests.ts';
import { searchHandlers } from './handlers/search.ts';
import { signInHandlers } from './handlers/sign-in.ts';
import type { Handlers } from './http/handlers.ts';

/** The handlers of the console's operations. */
export function createHandlers(deps: Dependencies): Handlers {
  return {
    ...signInHandlers(deps),
    ...deviceHandlers(deps),
    ...passwordHandlers(deps),
    ...invitationHandlers(deps),
    ...accountHandlers(deps),
    ...overviewHandlers(deps),
    ...alertHandlers(deps),
    ...searchHandlers(deps),
    ...keyHandlers(deps),
    ...limitRequestHandlers(deps),
    ...limitHandlers(deps),
    ...requestHandlers(deps),
    ...focusHandlers(deps),
    ...documentHandlers(deps),
    ...modelHandlers(deps),
    ...playgroundHandlers(deps),
    ...memberHandlers(deps),
    ...managementKeyHandlers(deps),
    ...auditHandlers(deps),
    ...operatorHandlers(deps),
    ...providerHandlers(deps),
    ...providerBillHandlers(deps),
    ...ledgerStatusHandlers(deps),
  };
}
