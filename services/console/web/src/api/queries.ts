import {
  type InfiniteData,
  keepPreviousData,
  type MutationOptions,
  QueryCache,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { toast } from '../components/toast.tsx';
import { call, type Input, type Item, type Output, type Route } from './client.ts';
import { ApiError, messageOf } from './error.ts';
import { tellOtherTabs } from './other-tabs.ts';
import { setStale } from './staleness.ts';

export type ReadRoute = Extract<Route, `GET ${string}`>;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { state }) => {
        if (state.data !== undefined && mayPass(error)) setStale(true);
      },
      onSuccess: () => setStale(false),
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) => count < 2 && mayPass(error),
      },
    },
  });
}

/** Failures that may pass by themselves. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

interface ReadOptions {
  enabled?: boolean;
  refetchInterval?: number | false;
  /** While the input changes, show what was there. By default skeletons show. */
  keepPrevious?: boolean;
  /**
   * No row appears by itself, and Back within half an hour shows the pages that were loaded without reading them again:
   * `isReturn` says that the person came back. For lists of a range with a fixed end.
   */
  fixed?: { isReturn: boolean };
}

/** The result of a route, kept up to date: `useRead('GET /accounts/{account_id}', { path: { account_id } })`. */
export function useRead<R extends ReadRoute>(
  route: R,
  input: Input<R>,
  options: ReadOptions = {},
): UseQueryResult<Output<R>, Error> {
  return useQuery<Output<R>, Error, Output<R>, readonly [R, Input<R>]>({
    queryKey: [route, input],
    queryFn: ({ signal }) => call(route, input, { signal }),
    enabled: options.enabled ?? true,
    refetchInterval: options.refetchInterval ?? false,
    ...(options.keepPrevious === true ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Routes of lists with a cursor. */
export type ListRoute = {
  [R in ReadRoute]: Output<R> extends { data: unknown[]; next_cursor: string | null } ? R : never;
}[ReadRoute];

const FIXED_LIST_MS = 30 * 60_000;

/** A list that loads more as it is scrolled. `rowsOf(result.data)` are its rows. */
export function useList<R extends ListRoute>(
  route: R,
  input: Input<R>,
  options: ReadOptions = {},
): UseInfiniteQueryResult<InfiniteData<Output<R>>, Error> {
  return useInfiniteQuery({
    queryKey: [route, input, 'list'],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(input as { query?: object }).query, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return call(route, { ...input, query } as Input<R>, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { next_cursor: string | null }).next_cursor,
    enabled: options.enabled ?? true,
    refetchInterval: options.refetchInterval ?? false,
    ...(options.fixed === undefined
      ? {}
      : {
          staleTime: Number.POSITIVE_INFINITY,
          gcTime: FIXED_LIST_MS,
          refetchOnMount: options.fixed.isReturn ? false : 'always',
        }),
    ...(options.keepPrevious === true ? { placeholderData: keepPreviousData } : {}),
  });
}

type MorePages = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'isError' | 'fetchNextPage'>;

/** What a table calls at its end; undefined while nothing can be loaded: after a failure the person tries again. */
export function loadMoreOf({ hasNextPage, isFetchingNextPage, isError, fetchNextPage }: MorePages) {
  return hasNextPage && !isFetchingNextPage && !isError ? fetchNextPage : undefined;
}

/**
 * Loads every page of a list while it is needed whole: the API has one order, so finding and sorting need all rows.
 *
 * @returns whether more rows are on their way
 */
export function useWholeList(list: MorePages, isNeeded: boolean): boolean {
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list;
  useEffect(() => {
    if (isNeeded && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [isNeeded, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  return isNeeded && hasNextPage && !isError;
}

export function rowsOf<R extends ListRoute>(data: InfiniteData<Output<R>> | undefined): Item<R>[] | undefined {
  return data?.pages.flatMap((page) => (page as unknown as { data: Item<R>[] }).data);
}

/** A change of what a route returned, in every page of it that is cached. */
export interface Patch {
  route: ReadRoute;
  update: (page: unknown) => unknown;
}

/** `patch('GET /accounts/{account_id}/keys', (page) => ({ ...page, data: page.data.filter(...) }))` */
export function patch<R extends ReadRoute>(route: R, update: (page: Output<R>) => Output<R>): Patch {
  return { route, update: update as (page: unknown) => unknown };
}

/** Every change has an entry. */
const AUDIT_LOGS: readonly ReadRoute[] = ['GET /accounts/{account_id}/audit', 'GET /operator/audit'];

/** Reads again what a change may have changed: now what is on the page, the rest when it is next shown. */
export async function invalidate(client: QueryClient, routes: readonly ReadRoute[]): Promise<void> {
  tellOtherTabs(routes);
  await readAgain(client, routes);
}

/** As invalidate, after a change in another tab. */
export async function readAgain(client: QueryClient, routes: readonly ReadRoute[]): Promise<void> {
  await Promise.all([...routes, ...AUDIT_LOGS].map((route) => client.invalidateQueries({ queryKey: [route] })));
}

interface ChangeOptions<R extends Route> {
  /** What was not done, if the call fails: `The key was not deleted.` Null: the form shows the error itself. */
  failed: string | null;
  /** Shown at once and taken back if the call fails. */
  optimistic?: (input: Input<R>) => Patch[];
  /** What the response says, shown before it is read again. */
  applied?: (output: Output<R>) => Patch[];
  /** Read again once the call is over. */
  invalidates?: readonly ReadRoute[];
}

/** A call that changes something. */
export function useChange<R extends Route>(
  route: R,
  options: ChangeOptions<R>,
): UseMutationResult<Output<R>, Error, Input<R>> {
  const client = useQueryClient();
  return useMutation(changeOptions(client, route, options, (message) => toast({ kind: 'failed', message })));
}

/** @param report shows why a change was taken back */
export function changeOptions<R extends Route>(
  client: QueryClient,
  route: R,
  { failed, optimistic, applied, invalidates = [] }: ChangeOptions<R>,
  report: (message: string) => void,
): MutationOptions<Output<R>, Error, Input<R>, { rollback: () => void }> {
  return {
    mutationFn: (input) => call(route, input),
    onMutate: async (input) => ({ rollback: await applyPatches(client, optimistic?.(input) ?? []) }),
    onError: (error, _input, context) => {
      context?.rollback();
      if (failed !== null) report(`${failed} ${messageOf(error)}`);
    },
    onSuccess: (output) => update(client, applied?.(output) ?? []),
    // Not waited for: the call is done, and a long list takes a while.
    onSettled: () => void invalidate(client, invalidates),
  };
}

/** Applies patches to the cache. Returns how to take them back. */
async function applyPatches(client: QueryClient, patches: Patch[]): Promise<() => void> {
  await Promise.all(patches.map(({ route }) => client.cancelQueries({ queryKey: [route] })));
  const before = patches.flatMap(({ route }) => client.getQueriesData({ queryKey: [route] }));
  update(client, patches);
  return () => {
    for (const [key, data] of before) client.setQueryData(key, data);
  };
}

function update(client: QueryClient, patches: readonly Patch[]): void {
  for (const { route, update: change } of patches) {
    client.setQueriesData({ queryKey: [route] }, (data: unknown) => {
      if (data === undefined) return undefined;
      return isPaged(data) ? { ...data, pages: data.pages.map(change) } : change(data);
    });
  }
}

function isPaged(data: unknown): data is InfiniteData<unknown> {
  return typeof data === 'object' && data !== null && 'pages' in data && 'pageParams' in data;
}
