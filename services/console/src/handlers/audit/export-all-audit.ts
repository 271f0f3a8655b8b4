import { sendAuditExport } from '../../export/audit-export.ts';
import type { ExportSender } from '../../export/send-export.ts';
import type { Handler } from '../../http/handler.ts';
import type { AuditSources } from '../../pages/audit-page.ts';

/** The audit log of all accounts as CSV, or as one JSON object a line, streamed. */
export function createExportAllAuditHandler(
  deps: AuditSources & { exports: ExportSender },
): Handler<'GET /operator/audit/export'> {
  return async ({ query, ...call }) => {
    await sendAuditExport(deps, query, { ...call, accountId: query.account_id });
  };
}
