import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { GetRoutesRequest, RouteTable } from '@tollgate/proto/router';
import type { RouteStore } from '../routes/route-store.ts';

/** Answers with the route table as it is now. */
export function getRoutes(routes: RouteStore): UnaryHandler<GetRoutesRequest, RouteTable> {
  return async () => routes.table;
}
