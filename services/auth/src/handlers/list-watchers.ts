import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListWatchersRequest, ListWatchersResponse } from '@tollgate/proto/auth';
import { listWatcherLags } from '../store/watchers.ts';

const MAX_WATCHERS = 10_000;

/** Lists the connected ingresses, with how far each is behind. */
export function createListWatchersHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListWatchersRequest, ListWatchersResponse> {
  return async () => {
    const rows = await listWatcherLags(pool, MAX_WATCHERS);
    return {
      watchers: rows.map((row) => ({
        watcherId: row.watcher_id,
        ingressName: row.ingress_name,
        silentMs: BigInt(Math.floor(row.silent_ms)),
        unconfirmed: row.unconfirmed,
      })),
    };
  };
}
