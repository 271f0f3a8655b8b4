import type { UnaryCallOptions } from '@tollgate/common/grpc/client';
import { Exported } from '@tollgate/proto/auth';
import { type AuditSources, auditRequest, readAuditPage } from '../pages/audit-page.ts';
import { daysOf } from '../pages/time-range.ts';
import { AUDIT_CSV_HEADER, auditEntryToCsv, auditEntryToJson } from './audit-lines.ts';
import { EXPORT_PAGE_ROWS } from './export-limits.ts';
import { allPages } from './pages.ts';
import { recordExport } from './record-export.ts';
import type { ExportFormat, ExportSender, Receiver } from './send-export.ts';

type Query = Parameters<typeof auditRequest>[1] & { format: ExportFormat };

/** Sends the audit entries that a query selects. */
export async function sendAuditExport(
  { exports, ...sources }: AuditSources & { exports: ExportSender },
  query: Query,
  { rpc, ...receiver }: Receiver & { rpc: () => Promise<UnaryCallOptions> },
): Promise<void> {
  const { accountId } = receiver;
  const selected = auditRequest(accountId, query);
  const readPage = async (after: string) =>
    readAuditPage(sources, selected, { after, limit: EXPORT_PAGE_ROWS }, await rpc());
  await exports.send(receiver, async () => {
    await recordExport(sources.auth, { accountId, exported: Exported.AUDIT, query }, await rpc());
    return {
      fileName: `audit-${daysOf(selected, query.time_zone)}`,
      format: query.format,
      pages: allPages(readPage),
      header: AUDIT_CSV_HEADER,
      toLine: query.format === 'csv' ? auditEntryToCsv : auditEntryToJson,
    };
  });
}
