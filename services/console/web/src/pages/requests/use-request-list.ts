import { useCallback, useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Input } from '../../api/client.ts';
import { rowsOf, useList } from '../../api/queries.ts';
import { useZone } from '../../format/zone.ts';
import { readKept, useKept } from '../../url/history.ts';
import { type Range, useRange } from '../../url/range.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { type RequestRow, readFilters, toQuery } from './filters.ts';
import { withoutRepeats } from './new-rows.ts';

export type RequestQuery = NonNullable<Input<'GET /accounts/{account_id}/requests'>['query']>;

interface Loaded {
  /** What was asked for, without the minute. */
  key: string;
  range: Range;
  /** Whether the rows that were there stay until the new ones arrive. */
  keepRows: boolean;
}

/**
 * The requests of the filters in the address. The range ends where it ended when the list was loaded, so that no new row
 * appears by itself: `showNew` moves the end to now. Back from a request returns to the list as it was.
 */
export function useRequestList() {
  const { accountId } = useAccount();
  const [params] = useSearchParams();
  const [zone] = useZone();
  const [range, setRange] = useRange('24h');
  const filters = readFilters(params);
  const key = JSON.stringify([accountId, filters, range.preset ?? [range.start, range.end], zone]);
  const [isReturn] = useState(() => readKept('request list') !== undefined);
  const [state, setLoaded] = useKept<Loaded>('request list', { key, range, keepRows: false });
  let loaded = state;
  if (loaded.key !== key) {
    loaded = { key, range, keepRows: false };
    setLoaded(loaded);
  }
  const query = toQuery(loaded.range, filters);
  const list = useList(
    'GET /accounts/{account_id}/requests',
    { path: { account_id: accountId }, query },
    { keepPrevious: loaded.keepRows, fixed: { isReturn } },
  );
  const rows = rowsOf<'GET /accounts/{account_id}/requests'>(list.data);
  const { refetch } = list;
  const showNew = useCallback(
    (now: Range) => {
      if (now.end === loaded.range.end) void refetch();
      else setLoaded({ key, range: now, keepRows: true });
      window.scrollTo({ top: 0 });
    },
    [key, loaded.range.end, refetch, setLoaded],
  );
  return {
    filters,
    range: loaded.range,
    setRange,
    query,
    list,
    rows: rows === undefined ? undefined : withoutRepeats<RequestRow>(rows),
    /** How far back the rows go while there are more; null: to the start of the range. */
    searchedTo: list.data?.pages.at(-1)?.searched_to ?? null,
    showNew,
  };
}

export type RequestList = ReturnType<typeof useRequestList>;
