import { Exported } from '@tollgate/proto/auth';
import type { AuditFilters } from '@tollgate/proto/console/audit';
import { ExportFormat } from '@tollgate/proto/console/queries';
import type { Dependencies } from '../dependencies.ts';
import { AUDIT_CSV_HEADER, auditEntryToCsv, auditEntryToJson } from '../export/audit-lines.ts';
import { EXPORT_PAGE_ROWS } from '../export/export-limits.ts';
import { allPages } from '../export/pages.ts';
import { recordExport } from '../export/record-export.ts';
import type { RoleCall } from '../http/call.ts';
import type { Handlers } from '../http/handlers.ts';
import { readAccountNames } from '../lookups/account-names.ts';
import { auditRequest, readAuditPage } from '../paging/audit-page.ts';
import { readPageQuery } from '../paging/cursor.ts';
import { daysOf } from '../paging/time-range.ts';

/** What of the log is exported. */
interface Selected {
  /** Undefined: of all accounts. */
  accountId?: string | undefined;
  filters: AuditFilters | undefined;
  format: ExportFormat;
}

/** Handlers of audit logs. */
export function auditHandlers({ auth, ledger, payments, exports }: Dependencies) {
  const sources = { auth, ledger, payments };
  return {
    listAudit: async ({ accountId, filters, page }, { rpc }) => {
      const selected = auditRequest(accountId, filters);
      const { items, next } = await readAuditPage(sources, selected, readPageQuery(page), await rpc());
      return { data: items, nextCursor: next };
    },

    exportAudit: async (request, call) => sendExport(request, call),

    listAllAudit: async ({ accountId, filters, page }, { rpc }) => {
      const options = await rpc();
      const selected = auditRequest(accountId, filters);
      const { items, next } = await readAuditPage(sources, selected, readPageQuery(page), options);
      const ids = items.map((entry) => entry.accountId);
      const names = await readAccountNames(auth, ids, options);
      return {
        data: items.map((entry) => ({ entry, accountName: names.get(entry.accountId) ?? '' })),
        nextCursor: next,
      };
    },

    exportAllAudit: async (request, call) => sendExport(request, call),
  } satisfies Partial<Handlers>;

  async function sendExport({ accountId, filters, format }: Selected, call: RoleCall): Promise<undefined> {
    const { rpc, response } = call;
    const selected = auditRequest(accountId, filters);
    const readPage = async (after: string) =>
      readAuditPage(sources, selected, { after, limit: EXPORT_PAGE_ROWS }, await rpc());
    await exports.send({ ...call, accountId }, async () => {
      const recorded = { accountId, exported: Exported.AUDIT, query: response.req.query };
      await recordExport(auth, recorded, await rpc());
      return {
        fileName: `audit-${daysOf(selected, filters?.range?.timeZone)}`,
        format,
        pages: allPages(readPage),
        header: AUDIT_CSV_HEADER,
        toLine: format === ExportFormat.CSV ? auditEntryToCsv : auditEntryToJson,
      };
    });
  }
}
