import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import type { Filter, FilterOption } from '../../components/filter-chips.tsx';
import { useDelayed } from '../../components/use-delayed.ts';
import type { RequestRow } from './filters.ts';

/** Keys to choose from before anything is typed. */
const NEWEST = 20;

/**
 * The filter by key. The server finds keys by name, last four characters or id, because an account may have thousands; before
 * anything is typed, there are the newest keys and the keys of the rows.
 */
export function useKeyFilter(chosen: string | null, rows: readonly RequestRow[]): Filter {
  const { accountId, is } = useAccount();
  const [isOpened, setOpened] = useState(false);
  const [text, setText] = useState('');
  const query = useDelayed(text.trim(), 150);
  const path = { account_id: accountId };
  const seesKeys = is('operator', 'owner', 'admin', 'developer');
  const newest = useRead(
    'GET /accounts/{account_id}/keys',
    { path, query: { status: 'all', limit: NEWEST } },
    { enabled: seesKeys && isOpened },
  );
  const names = new Map<string, string>([
    ...rows.map(({ key_id, key_name }) => [key_id, key_name] as const),
    ...(newest.data?.data ?? []).map(({ key_id, name }) => [key_id, name] as const),
  ]);
  const search = useRead(
    'GET /accounts/{account_id}/search',
    { path, query: { q: query } },
    {
      enabled: seesKeys && query !== '',
      keepPrevious: true,
    },
  );
  const one = useRead(
    'GET /accounts/{account_id}/keys/{key_id}',
    { path: { ...path, key_id: chosen ?? '' } },
    {
      enabled: seesKeys && chosen !== null && !names.has(chosen),
    },
  );
  const found = (search.data?.data ?? []).filter(({ kind }) => kind === 'key');
  const listed: FilterOption[] = [...names].map(([value, label]) => ({ value, label }));
  const options =
    query === '' ? listed : found.map(({ id, title, subtitle }) => ({ value: id, label: title, detail: subtitle }));
  return {
    name: 'key',
    label: 'Key',
    options,
    shown: chosen === null ? undefined : (names.get(chosen) ?? one.data?.name),
    // Roles that do not see keys choose from the keys of the rows.
    find: seesKeys ? { text, onChange: setText } : undefined,
    onOpen: () => setOpened(true),
    isLoading: query !== text.trim() || search.isFetching || newest.isLoading,
  };
}
