import type { Dependencies } from '../../dependencies.ts';
import { passOn } from '../../http/old-pass-on.ts';
import { createListModelsHandler } from '../models/list-models.ts';
import { createCompareCatalogueHandler } from './compare-catalogue.ts';
import { createGetCatalogueHandler } from './get-catalogue.ts';
import { createGetLedgerStatusHandler } from './get-ledger-status.ts';
import { createInviteOperatorHandler } from './invite-operator.ts';
import { createListAccountsHandler } from './list-accounts.ts';
import { createListOperatorsHandler } from './list-operators.ts';
import { createListProvidersHandler } from './list-providers.ts';
import { createListQuarantinedHandler } from './list-quarantined.ts';
import { createRepostQuarantinedHandler } from './repost-quarantined.ts';
import { createSearchAllHandler } from './search-all.ts';
import { createTestProviderHandler } from './test-provider.ts';

const AUTH = 'tollgate.auth.v1.AuthService';

/** Handlers for the people who run the gateway. */
export function createOperatorHandlers(deps: Dependencies) {
  return {
    'GET /operator/accounts': createListAccountsHandler(deps),
    'GET /operator/search': createSearchAllHandler(deps),
    'POST /operator/accounts': passOn<'POST /operator/accounts'>(deps.auth, `${AUTH}/CreateAccount`, {
      result: 'account',
    }),
    'GET /operator/catalogue': createGetCatalogueHandler(deps),
    'POST /operator/catalogue/compare': createCompareCatalogueHandler(deps),
    'POST /operator/invitations': createInviteOperatorHandler(deps),
    'DELETE /operator/invitations/{invitation_id}': passOn<'DELETE /operator/invitations/{invitation_id}'>(
      deps.auth,
      `${AUTH}/DeleteInvitation`,
    ),
    'GET /operator/ledger': createGetLedgerStatusHandler(deps),
    'GET /operator/models': createListModelsHandler(deps),
    'GET /operator/operators': createListOperatorsHandler(deps),
    'DELETE /operator/operators/{person_id}': passOn<'DELETE /operator/operators/{person_id}'>(
      deps.auth,
      `${AUTH}/RemoveOperator`,
    ),
    'GET /operator/providers': createListProvidersHandler(deps),
    'POST /operator/providers/{provider}/test': createTestProviderHandler(deps),
    'GET /operator/quarantine': createListQuarantinedHandler(deps),
    'POST /operator/quarantine/repost': createRepostQuarantinedHandler(deps),
  };
}
