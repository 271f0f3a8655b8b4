import type { Dependencies } from '../../dependencies.ts';
import { createExportRequestsHandler } from './export-requests.ts';
import { createGetRequestHandler } from './get-request.ts';
import { createListRequestsHandler } from './list-requests.ts';

/** Handlers of requests, charged and refused. */
export function createRequestHandlers(deps: Dependencies) {
  return {
    'GET /accounts/{account_id}/requests': createListRequestsHandler(deps),
    'GET /accounts/{account_id}/requests/export': createExportRequestsHandler(deps),
    'GET /accounts/{account_id}/requests/{id}': createGetRequestHandler(deps),
  };
}
