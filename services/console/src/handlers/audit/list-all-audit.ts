import type { Handler } from '../../http/handler.ts';
import { readAccountNames } from '../../lookups/account-names.ts';
import { type AuditSources, auditRequest, readAuditPage } from '../../pages/audit-page.ts';
import { readCursor } from '../../pages/cursor.ts';
import { renderAuditEntry } from '../../render/audit-entry.ts';
import { textOrNull } from '../../render/time.ts';

/** Who did what in all accounts, newest first. */
export function createListAllAuditHandler(sources: AuditSources): Handler<'GET /operator/audit'> {
  return async ({ query, rpc }) => {
    const page = { after: readCursor(query.cursor), limit: query.limit };
    const options = await rpc();
    const { items, next } = await readAuditPage(sources, auditRequest(query.account_id, query), page, options);
    const ids = items.map(({ accountId }) => accountId);
    const names = await readAccountNames(sources.auth, ids, options);
    const data = items.map((entry) => ({
      ...renderAuditEntry(entry),
      account_name: names.get(entry.accountId) ?? null,
    }));
    return { data, next_cursor: textOrNull(next) };
  };
}
