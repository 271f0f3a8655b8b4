import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { FilterChips } from '../../components/filter-chips.tsx';
import { type RequestFilters as Filters, type RequestRow, STATUSES } from './filters.ts';
import { statusLabel } from './status-badge.tsx';

interface RequestFiltersProps {
  filters: Filters;
  rows: readonly RequestRow[];
}

/** Chips to filter requests by. Models and keys are those of the account and of the rows, deleted ones included. */
export function RequestFilters({ filters, rows }: RequestFiltersProps) {
  const { accountId, is } = useAccount();
  const path = { account_id: accountId };
  const seesKeys = is('operator', 'owner', 'admin', 'developer');
  const models = useRead('GET /accounts/{account_id}/models', { path });
  const keys = useRead(
    'GET /accounts/{account_id}/keys',
    { path, query: { status: 'all', limit: 200 } },
    { enabled: seesKeys },
  );
  const modelNames = new Set([
    ...(models.data?.data ?? []).map(({ model }) => model),
    ...rows.map(({ model }) => model).filter((model) => model !== ''),
    ...(filters.model === null ? [] : [filters.model]),
  ]);
  const keyNames = new Map([
    ...(filters.keyId === null ? [] : [[filters.keyId, filters.keyId] as const]),
    ...rows.map(({ key_id, key_name }) => [key_id, key_name] as const),
    ...(keys.data?.data ?? []).map(({ key_id, name }) => [key_id, name] as const),
  ]);
  return (
    <FilterChips
      filters={[
        { name: 'model', label: 'Model', options: [...modelNames].map((model) => ({ value: model, label: model })) },
        { name: 'key', label: 'Key', options: [...keyNames].map(([value, label]) => ({ value, label })) },
        {
          name: 'status',
          label: 'Status',
          options: STATUSES.map((status) => ({ value: status, label: statusLabel(status) })),
        },
        { name: 'tag', label: 'Tag', placeholder: 'team:search' },
        { name: 'session', label: 'Session', placeholder: 'Session id' },
      ]}
    />
  );
}
