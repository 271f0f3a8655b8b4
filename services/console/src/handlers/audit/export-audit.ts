import { sendAuditExport } from '../../export/audit-export.ts';
import type { ExportSender } from '../../export/send-export.ts';
import type { Handler } from '../../http/handler.ts';
import type { AuditSources } from '../../pages/audit-page.ts';

/** The audit log of an account as CSV, or as one JSON object a line, streamed. */
export function createExportAuditHandler(
  deps: AuditSources & { exports: ExportSender },
): Handler<'GET /accounts/{account_id}/audit/export'> {
  return async ({ path, query, ...call }) => {
    await sendAuditExport(deps, query, { ...call, accountId: path.account_id });
  };
}
