import type { Dependencies } from '../../dependencies.ts';
import { passOn } from '../../http/old-pass-on.ts';
import { createCreateDepositHandler } from './create-deposit.ts';
import { createGetAlertsHandler } from './get-alerts.ts';
import { createGetBalanceHandler } from './get-balance.ts';
import { createGetOverviewHandler } from './get-overview.ts';
import { createGetUsageHandler } from './get-usage.ts';
import { createListDepositsHandler } from './list-deposits.ts';
import { createSearchHandler } from './search.ts';
import { createSetAlertsHandler } from './set-alerts.ts';

const AUTH = 'tollgate.auth.v1.AuthService';

/** Handlers of an account and its money. */
export function createAccountHandlers(deps: Dependencies) {
  const { auth } = deps;
  return {
    'GET /accounts/{account_id}': passOn<'GET /accounts/{account_id}'>(auth, `${AUTH}/GetAccount`, {
      result: 'account',
    }),
    'PATCH /accounts/{account_id}': passOn<'PATCH /accounts/{account_id}'>(auth, `${AUTH}/UpdateAccount`, {
      result: 'account',
      done: 'The account is changed',
    }),
    'GET /accounts/{account_id}/alerts': createGetAlertsHandler(deps),
    'PUT /accounts/{account_id}/alerts': createSetAlertsHandler(deps),
    'PUT /accounts/{account_id}/alert-mails': passOn<'PUT /accounts/{account_id}/alert-mails'>(
      auth,
      `${AUTH}/SetAlertMails`,
    ),
    'GET /accounts/{account_id}/balance': createGetBalanceHandler(deps),
    'GET /accounts/{account_id}/deposits': createListDepositsHandler(deps),
    'POST /accounts/{account_id}/deposits': createCreateDepositHandler(deps),
    'GET /accounts/{account_id}/overview': createGetOverviewHandler(deps),
    'POST /accounts/{account_id}/resume': passOn<'POST /accounts/{account_id}/resume'>(auth, `${AUTH}/ResumeAccount`, {
      result: 'account',
      done: 'The account is resumed',
    }),
    'GET /accounts/{account_id}/search': createSearchHandler(deps),
    'POST /accounts/{account_id}/suspend': passOn<'POST /accounts/{account_id}/suspend'>(
      auth,
      `${AUTH}/SuspendAccount`,
      { result: 'account', done: 'The account is suspended' },
    ),
    'GET /accounts/{account_id}/usage': createGetUsageHandler(deps),
  };
}
