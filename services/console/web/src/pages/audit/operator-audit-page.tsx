import { address } from '../../api/client.ts';
import { rowsOf, useList } from '../../api/queries.ts';
import { ALL_SUBJECTS } from './actions.ts';
import { AuditLog } from './audit-log.tsx';
import { useAuditFilters } from './filters.ts';

/** Who did what in all accounts, and what operators did. */
export function OperatorAuditPage() {
  const filters = useAuditFilters();
  const { account } = filters;
  const query = { ...filters.query, ...(account === undefined ? {} : { account_id: account }) };
  const list = useList('GET /operator/audit', { query });
  return (
    <AuditLog
      title="Audit log of all accounts"
      about="Every change in every account, and every account that an operator viewed. Entries cannot be changed."
      subjects={ALL_SUBJECTS}
      ofAll
      filters={filters}
      list={list}
      entries={rowsOf<'GET /operator/audit'>(list.data)}
      exportAddress={(format) => address('GET /operator/audit/export', { query: { ...query, format } })}
    />
  );
}
