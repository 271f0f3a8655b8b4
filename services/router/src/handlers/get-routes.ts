import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { GetRoutesRequest, RouteTable } from '@tollgate/proto/router';
import type { Dependencies } from '../dependencies.ts';

/** Returns the current route table. */
export function createGetRoutesHandler({
  routes,
}: Pick<Dependencies, 'routes'>): UnaryHandler<GetRoutesRequest, RouteTable> {
  return async () => routes.table;
}
