import { useSearchParams } from './search-params.ts';

export interface Sort {
  column: string;
  descending: boolean;
}

/** `sort=-spent` in the address: by `spent`, largest first. */
export function readSort(text: string | undefined): Sort | null {
  if (text === undefined || text === '' || text === '-') return null;
  return text.startsWith('-') ? { column: text.slice(1), descending: true } : { column: text, descending: false };
}

export function writeSort(sort: Sort): string {
  return `${sort.descending ? '-' : ''}${sort.column}`;
}

/** The sort in the address of this page. Null: the order in which the API returns rows. */
export function useSort(): [Sort | null, (sort: Sort) => void] {
  const [params, setParams] = useSearchParams();
  return [readSort(params['sort']), (sort) => setParams({ sort: writeSort(sort) })];
}
