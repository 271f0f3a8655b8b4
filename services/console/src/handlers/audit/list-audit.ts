import type { Handler } from '../../http/handler.ts';
import { type AuditSources, auditRequest, readAuditPage } from '../../pages/audit-page.ts';
import { readCursor } from '../../pages/cursor.ts';
import { renderAuditEntry } from '../../render/audit-entry.ts';
import { textOrNull } from '../../render/time.ts';

/** Who did what in an account, newest first. */
export function createListAuditHandler(sources: AuditSources): Handler<'GET /accounts/{account_id}/audit'> {
  return async ({ path, query, rpc }) => {
    const page = { after: readCursor(query.cursor), limit: query.limit };
    const { items, next } = await readAuditPage(sources, auditRequest(path.account_id, query), page, await rpc());
    return { data: items.map(renderAuditEntry), next_cursor: textOrNull(next) };
  };
}
