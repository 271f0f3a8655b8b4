import type { Dependencies } from '../../dependencies.ts';
import { createCreateDepositHandler } from './create-deposit.ts';
import { createGetAccountHandler } from './get-account.ts';
import { createGetAlertsHandler } from './get-alerts.ts';
import { createGetBalanceHandler } from './get-balance.ts';
import { createGetOverviewHandler } from './get-overview.ts';
import { createGetUsageHandler } from './get-usage.ts';
import { createListDepositsHandler } from './list-deposits.ts';
import { createResumeAccountHandler } from './resume-account.ts';
import { createSearchHandler } from './search.ts';
import { createSetAlertMailsHandler } from './set-alert-mails.ts';
import { createSetAlertsHandler } from './set-alerts.ts';
import { createSuspendAccountHandler } from './suspend-account.ts';
import { createUpdateAccountHandler } from './update-account.ts';

/** Handlers of an account and its money. */
export function createAccountHandlers(deps: Dependencies) {
  return {
    'GET /accounts/{account_id}': createGetAccountHandler(deps),
    'PATCH /accounts/{account_id}': createUpdateAccountHandler(deps),
    'GET /accounts/{account_id}/alerts': createGetAlertsHandler(deps),
    'PUT /accounts/{account_id}/alerts': createSetAlertsHandler(deps),
    'PUT /accounts/{account_id}/alert-mails': createSetAlertMailsHandler(deps),
    'GET /accounts/{account_id}/balance': createGetBalanceHandler(deps),
    'GET /accounts/{account_id}/deposits': createListDepositsHandler(deps),
    'POST /accounts/{account_id}/deposits': createCreateDepositHandler(deps),
    'GET /accounts/{account_id}/overview': createGetOverviewHandler(deps),
    'POST /accounts/{account_id}/resume': createResumeAccountHandler(deps),
    'GET /accounts/{account_id}/search': createSearchHandler(deps),
    'POST /accounts/{account_id}/suspend': createSuspendAccountHandler(deps),
    'GET /accounts/{account_id}/usage': createGetUsageHandler(deps),
  };
}
