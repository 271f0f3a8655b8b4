import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { failedAtItsEnd } from './queries.ts';

/** What pages stand on: it changes rarely, and is no figure. */
const LASTING: readonly unknown[] = ['GET /session', 'GET /config'];

/** From when the oldest data on the page is that can no longer be read, Unix milliseconds; null: all is current. */
export function useStaleSince(): number | null {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      const old = cache
        .findAll({ type: 'active' })
        .filter((query) => query.state.status === 'error' && query.state.data !== undefined)
        .filter((query) => !LASTING.includes(query.queryKey[0]) && !failedAtItsEnd(query));
      return old.length === 0 ? null : Math.min(...old.map(({ state }) => state.dataUpdatedAt));
    },
  );
}
