import { MutationObserver, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Output } from './client.ts';
import { changeOptions, createQueryClient, loadMoreOf, patch } from './queries.ts';

const LIST = 'GET /person/sessions';
const END = 'DELETE /person/sessions/{session_id}';
const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => vi.unstubAllGlobals());

/** A page that shows sessions `a` and `b`, and ends one of them. */
function openPage() {
  const client = createQueryClient();
  const reports: string[] = [];
  const closed = new AbortController();
  client.setQueryData([LIST, {}], { data: [{ session_id: 'a' }, { session_id: 'b' }] });
  const shown = () => client.getQueryData<Output<typeof LIST>>([LIST, {}])?.data.map(({ session_id }) => session_id);
  const ending = new MutationObserver(
    client,
    changeOptions(
      client,
      END,
      {
        failed: 'The session was not ended.',
        what: () => 'The end of the session',
        lost: 'It had unsaved work.',
        optimistic: ({ path }) => [
          patch(LIST, (list) => ({
            ...list,
            data: list.data.filter((each) => each.session_id !== path.session_id),
          })),
        ],
        invalidates: [LIST],
      },
      (message) => reports.push(message),
      () => closed.signal,
    ),
  );
  return {
    client,
    shown,
    reports,
    close: () => closed.abort(),
    end: () => ending.mutate({ path: { session_id: 'a' } }),
  };
}

test('a list shows a change before the server has responded, and then what the server says', async () => {
  const { client, shown, end } = openPage();
  const { promise: responds, resolve: respond } = Promise.withResolvers<Response>();
  fetched.mockReturnValueOnce(responds);
  fetched.mockImplementation(async () => Response.json({ data: [{ session_id: 'b' }, { session_id: 'c' }] }));
  const stop = new QueryObserver(client, {
    queryKey: [LIST, {}],
    queryFn: async () => (await fetch('/')).json(),
    staleTime: Number.POSITIVE_INFINITY,
  }).subscribe(() => undefined);
  const ended = end();
  await expect.poll(shown).toEqual(['b']);
  respond(new Response(null, { status: 204 }));
  await ended;
  await expect.poll(shown).toEqual(['b', 'c']);
  stop();
});

test('a change that the server refuses is taken back, with the reason', async () => {
  const { shown, reports, end } = openPage();
  const error = { code: 'conflict', message: 'It has ended already.', field: null };
  fetched.mockResolvedValue(Response.json({ error }, { status: 409 }));
  await expect(end()).rejects.toThrow('It has ended already.');
  expect(shown()).toEqual(['a', 'b']);
  expect(reports).toEqual(['The session was not ended. It has ended already.']);
});

test('a change is not sent any more when its form has closed, and says nothing', async () => {
  const { shown, reports, close, end } = openPage();
  close();
  await expect(end()).rejects.toThrow('aborted');
  expect(fetched).not.toHaveBeenCalled();
  expect(shown()).toEqual(['a', 'b']);
  expect(reports).toEqual([]);
});

test('a change that was sent before its form closed says so, and what became of it', async () => {
  const { reports, close, end } = openPage();
  const { promise: responds, resolve: respond } = Promise.withResolvers<Response>();
  fetched.mockReturnValueOnce(responds);
  const ended = end();
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce());
  close();
  expect(reports).toEqual([
    'The end of the session was already sent, and cannot be taken back. Its result follows here.',
  ]);
  respond(new Response(null, { status: 204 }));
  await ended;
  expect(reports[1]).toBe('The end of the session was done after its form had closed. It had unsaved work.');
});

test('every change makes audit logs stale', async () => {
  const { client, end } = openPage();
  client.setQueryData(['GET /operator/audit', {}, 'list'], { pages: [], pageParams: [] });
  fetched.mockResolvedValue(new Response(null, { status: 204 }));
  await end();
  await expect.poll(() => client.getQueryState(['GET /operator/audit', {}, 'list'])?.isInvalidated).toBe(true);
});

test('more is loaded at the end of a list, but not while it loads or after it failed', () => {
  const list = { hasNextPage: true, isFetchingNextPage: false, isError: false, fetchNextPage: vi.fn() };
  expect(loadMoreOf(list)).toBe(list.fetchNextPage);
  expect(loadMoreOf({ ...list, isFetchingNextPage: true })).toBeUndefined();
  expect(loadMoreOf({ ...list, isError: true })).toBeUndefined();
  expect(loadMoreOf({ ...list, hasNextPage: false })).toBeUndefined();
});
