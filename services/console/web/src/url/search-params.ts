import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

export type Params = Readonly<Record<string, string | undefined>>;

/** Parameters of the address. Empty ones are left out. */
export function parseParams(search: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value !== ''));
}

/** The search of an address after a change; undefined and empty values remove a parameter. */
export function changeParams(search: string, change: Params): string {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * Filters, range and sort of a page, kept in its address. A change replaces the entry in the history unless `push` is set,
 * so that Back leaves the page.
 */
export function useSearchParams(): [
  params: Record<string, string>,
  setParams: (change: Params, options?: { push?: boolean }) => void,
] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const params = useMemo(() => parseParams(search), [search]);
  const setParams = useCallback(
    (change: Params, options: { push?: boolean } = {}) =>
      navigate(path + changeParams(search, change), { replace: options.push !== true }),
    [path, search, navigate],
  );
  return [params, setParams];
}
