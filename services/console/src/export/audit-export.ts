import type { UnaryCallOptions } from '@tollgate/common/grpc/client';
import { Exported } from '@tollgate/proto/auth';
import type { Response } from 'express';
import { type AuditSources, auditRequest, readAuditPage } from '../pages/audit-page.ts';
import { daysOf } from '../pages/time-range.ts';
import { AUDIT_CSV_HEADER, auditEntryToCsv, auditEntryToJson } from './audit-lines.ts';
import { EXPORT_PAGE_ROWS } from './export-limits.ts';
import { allPages } from './pages.ts';
import { recordExport } from './record-export.ts';
import type { ExportFormat, ExportSender } from './send-export.ts';

type Query = Parameters<typeof auditRequest>[1] & { format: ExportFormat };

/** Sends the audit entries that a query selects. */
export async function sendAuditExport(
  { exports, ...sources }: AuditSources & { exports: ExportSender },
  { accountId, query }: { accountId: string | undefined; query: Query },
  call: { rpc: () => Promise<UnaryCallOptions>; response: Response; signal: AbortSignal },
): Promise<void> {
  const selected = auditRequest(accountId, query);
  await recordExport(sources.auth, { accountId, exported: Exported.AUDIT, query }, await call.rpc());
  const readPage = async (after: string) =>
    readAuditPage(sources, selected, { after, limit: EXPORT_PAGE_ROWS }, await call.rpc());
  await exports.send(call.response, {
    fileName: `audit-${daysOf(selected, query.time_zone)}`,
    format: query.format,
    pages: allPages(readPage),
    header: AUDIT_CSV_HEADER,
    toLine: query.format === 'csv' ? auditEntryToCsv : auditEntryToJson,
    signal: call.signal,
  });
}
