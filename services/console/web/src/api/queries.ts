import {
  type InfiniteData,
  keepPreviousData,
  type MutationOptions,
  QueryCache,
  QueryClient,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { toast } from '../components/toast.tsx';
import { call, type Input, type Item, type Output, type Route } from './client.ts';
import { ApiError, messageOf } from './error.ts';
import { tellOtherTabs } from './other-tabs.ts';

export type ReadRoute = Extract<Route, `GET ${string}`>;

/** How soon a read that failed is tried again. */
const HEAL_MS = 3_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => lastErrors.set(query, error),
      onSuccess: (_data, query) => lastErrors.delete(query),
    }),
    defaultOptions: {
      // What cannot be sent fails at once: nothing waits for a connection and is sent when nobody expects it any more.
      queries: { networkMode: 'always', staleTime: 5_000, retry: false },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** Why reads failed last, until they succeed. */
const lastErrors = new WeakMap<object, Error>();

/** Failures that may pass by themselves. */
export function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

/** What is read of a query, whatever its data. */
type Failing = { state: { fetchMeta: unknown } };

/** When a read is repeated by itself: as its page says, and soon while it fails. */
function refetchInterval(usual: number | false) {
  return (query: Failing): number | false => {
    if (!mayPass(lastErrors.get(query)) || failedAtItsEnd(query)) return usual;
    return usual === false ? HEAL_MS : Math.min(usual, HEAL_MS);
  };
}

/** A list that could not load more: what it shows is not old, and the person tries again. */
export function failedAtItsEnd({ state }: Failing): boolean {
  return (state.fetchMeta as { fetchMore?: unknown } | null)?.fetchMore !== undefined;
}

/** A read that fails shows its error until it succeeds, also while it is tried again: no skeleton in between. */
function useLastError<R extends UseQueryResult<unknown, Error>>(result: R, queryKey: QueryKey): R {
  const client = useQueryClient();
  if (!result.isPending && !result.isPlaceholderData) return result;
  const query = client.getQueryCache().find({ queryKey, exact: true });
  const error = query === undefined ? undefined : lastErrors.get(query);
  if (error === undefined) return result;
  return { ...result, data: undefined, error, status: 'error', isError: true, isPending: false, isLoading: false };
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
  const queryKey = [route, input] as const;
  const result = useQuery<Output<R>, Error, Output<R>, typeof queryKey>({
    queryKey,
    queryFn: ({ signal }) => call(route, input, { signal }),
    enabled: options.enabled ?? true,
    refetchInterval: refetchInterval(options.refetchInterval ?? false),
    ...(options.keepPrevious === true ? { placeholderData: keepPreviousData } : {}),
  });
  return useLastError(result, queryKey);
}

/** The results of a route for several inputs, as useRead has one. */
export function useReads<R extends ReadRoute>(
  route: R,
  inputs: readonly Input<R>[],
  options: Pick<ReadOptions, 'refetchInterval'> = {},
): UseQueryResult<Output<R>, Error>[] {
  return useQueries({
    queries: inputs.map((input) => ({
      queryKey: [route, input] as const,
      queryFn: ({ signal }: { signal: AbortSignal }) => call(route, input, { signal }),
      refetchInterval: refetchInterval(options.refetchInterval ?? false),
    })),
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
  const queryKey = [route, input, 'list'] as const;
  const result = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(input as { query?: object }).query, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return call(route, { ...input, query } as Input<R>, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { next_cursor: string | null }).next_cursor,
    enabled: options.enabled ?? true,
    refetchInterval: refetchInterval(options.refetchInterval ?? false),
    ...(options.fixed === undefined
      ? {}
      : {
          staleTime: Number.POSITIVE_INFINITY,
          gcTime: FIXED_LIST_MS,
          refetchOnMount: options.fixed.isReturn ? false : 'always',
        }),
    ...(options.keepPrevious === true ? { placeholderData: keepPreviousData } : {}),
  });
  return useLastError(result, queryKey);
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
  /**
   * What it is: `The credit of $50`. Forms have one: what was already sent when the form closed is told in the corner of the
   * page, with its result.
   */
  what?: (input: Input<R>) => string;
  /** What is lost when the form has closed before the response: `Nobody has seen the secret: rotate the key.` */
  lost?: string;
  /** Shown at once and taken back if the call fails. */
  optimistic?: (input: Input<R>) => Patch[];
  /** What the response says, shown before it is read again. */
  applied?: (output: Output<R>) => Patch[];
  /** Read again once the call is over. */
  invalidates?: readonly ReadRoute[];
}

/** A call that changes something. It is not sent any more when the dialog or page that makes it has closed. */
export function useChange<R extends Route>(
  route: R,
  options: ChangeOptions<R>,
): UseMutationResult<Output<R>, Error, Input<R>> {
  const client = useQueryClient();
  const closed = useClosed();
  return useMutation(changeOptions(client, route, options, (message) => toast({ kind: 'failed', message }), closed));
}

/** Aborts when the component that calls it is gone. */
function useClosed(): () => AbortSignal {
  const controller = useRef(new AbortController());
  useEffect(() => {
    // Effects may run twice.
    if (controller.current.signal.aborted) controller.current = new AbortController();
    return () => controller.current.abort();
  }, []);
  return () => controller.current.signal;
}

/** @param report says in the corner of the page what nothing else shows */
export function changeOptions<R extends Route>(
  client: QueryClient,
  route: R,
  { failed, what, lost, optimistic, applied, invalidates = [] }: ChangeOptions<R>,
  report: (message: string) => void,
  closed: () => AbortSignal,
): MutationOptions<Output<R>, Error, Input<R>, { rollback: () => void }> {
  return {
    mutationFn: (input) => {
      const name = what?.(input);
      return sendChange(route, input, {
        closed: closed(),
        lost,
        tell: (text) => name !== undefined && report(`${name} ${text}`),
      });
    },
    onMutate: async (input) => ({ rollback: await applyPatches(client, optimistic?.(input) ?? []) }),
    onError: (error, _input, context) => {
      context?.rollback();
      if (failed !== null && error.name !== 'AbortError') report(`${failed} ${messageOf(error)}`);
    },
    onSuccess: (output) => update(client, applied?.(output) ?? []),
    // Not waited for: the call is done, and a long list takes a while.
    onSettled: () => void invalidate(client, invalidates),
  };
}

interface SendOptions {
  closed: AbortSignal;
  lost: string | undefined;
  tell: (text: string) => void;
}

/** Sends a change, and tells what becomes of it where the form that sent it has closed. */
async function sendChange<R extends Route>(
  route: R,
  input: Input<R>,
  { closed, lost = '', tell }: SendOptions,
): Promise<Output<R>> {
  let isSent = false;
  const onClose = () => isSent && tell('was already sent, and cannot be taken back. Its result follows here.');
  closed.addEventListener('abort', onClose);
  try {
    const output = await call(route, input, {
      unsent: closed,
      onSent: () => {
        isSent = true;
      },
    });
    if (closed.aborted) tell(`was done after its form had closed. ${lost}`.trim());
    return output;
  } catch (error) {
    if (closed.aborted && isSent) tell(`was sent before its form closed. ${messageOf(error)}`);
    throw error;
  } finally {
    closed.removeEventListener('abort', onClose);
  }
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
