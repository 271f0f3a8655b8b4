import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { GetRoutesRequest, RouteTable } from '@tollgate/proto/router';
import type { RouteStore } from '../routes/route-store.ts';

/** Returns the current route table. */
export function createGetRoutesHandler({ routes }: { routes: RouteStore }): UnaryHandler<GetRoutesRequest, RouteTable> {
  return async () => routes.table;
}
