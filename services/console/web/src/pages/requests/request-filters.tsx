import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { FilterChips } from '../../components/filter-chips.tsx';
import { usePlaceFilters } from '../shared/use-place-filters.ts';
import { type RequestFilters as Filters, type RequestRow, STATUSES } from './filters.ts';
import { statusLabel } from './status-badge.tsx';
import { useKeyFilter } from './use-key-filter.ts';

interface RequestFiltersProps {
  filters: Filters;
  rows: readonly RequestRow[];
}

/** Chips to filter requests by. Its models are the account's and the rows'. */
export function RequestFilters({ filters, rows }: RequestFiltersProps) {
  const { accountId } = useAccount();
  const path = { account_id: accountId };
  const [isOpened, setOpened] = useState(false);
  const models = useRead('GET /accounts/{account_id}/models', { path }, { enabled: isOpened });
  const keyFilter = useKeyFilter(filters.keyId, rows);
  const placeFilters = usePlaceFilters(
    filters,
    rows.map(({ project_id }) => project_id),
  );
  const modelNames = new Set([
    ...(models.data?.data ?? []).map(({ model }) => model),
    ...rows.map(({ model }) => model).filter((model) => model !== ''),
    ...(filters.model === null ? [] : [filters.model]),
  ]);
  return (
    <FilterChips
      filters={[
        {
          name: 'model',
          label: 'Model',
          options: [...modelNames].map((model) => ({ value: model, label: model })),
          onOpen: () => setOpened(true),
          isLoading: models.isLoading,
        },
        ...placeFilters,
        keyFilter,
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
