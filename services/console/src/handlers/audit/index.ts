import type { Dependencies } from '../../dependencies.ts';
import { createExportAllAuditHandler } from './export-all-audit.ts';
import { createExportAuditHandler } from './export-audit.ts';
import { createListAllAuditHandler } from './list-all-audit.ts';
import { createListAuditHandler } from './list-audit.ts';

/** Handlers of audit logs. */
export function createAuditHandlers(deps: Dependencies) {
  return {
    'GET /accounts/{account_id}/audit': createListAuditHandler(deps),
    'GET /accounts/{account_id}/audit/export': createExportAuditHandler(deps),
    'GET /operator/audit': createListAllAuditHandler(deps),
    'GET /operator/audit/export': createExportAllAuditHandler(deps),
  };
}
