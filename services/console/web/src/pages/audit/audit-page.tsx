import { useAccount } from '../../account/account-context.tsx';
import { address } from '../../api/client.ts';
import { rowsOf, useList } from '../../api/queries.ts';
import { SUBJECTS } from './actions.ts';
import { AuditLog } from './audit-log.tsx';
import { useAuditFilters } from './filters.ts';

/** Who did what in the account. */
export function AuditPage() {
  const { accountId } = useAccount();
  const filters = useAuditFilters();
  const path = { account_id: accountId };
  const list = useList('GET /accounts/{account_id}/audit', { path, query: filters.query });
  return (
    <AuditLog
      title="Audit log"
      about="Every change in this account: from the console, the API and the command line. Entries cannot be changed."
      subjects={SUBJECTS}
      filters={filters}
      list={list}
      entries={rowsOf<'GET /accounts/{account_id}/audit'>(list.data)}
      exportAddress={(format) =>
        address('GET /accounts/{account_id}/audit/export', { path, query: { ...filters.query, format } })
      }
    />
  );
}
