import { RouterServiceClient, RouterServiceService, RouteTable } from '@tollgate/proto/router';
import { createGrpcClient, type UnaryCallOptions, unaryCall } from '../src/grpc/client.ts';
import { type GrpcServer, startGrpcServer } from '../src/grpc/server.ts';
import type { GrpcTls } from '../src/grpc/tls.ts';
import { createLogger } from '../src/logging.ts';

/** Longer than any response takes. */
export const ANSWERED: UnaryCallOptions = { deadlineMs: 20_000 };
/** A refused client tries to connect until this is over. */
export const REFUSED: UnaryCallOptions = { deadlineMs: 1_000 };

/** A server of one method, `getRoutes`, at a port of `localhost` that is free. */
export function startRoutesServer(options: { tls?: GrpcTls | undefined; socket?: string } = {}): Promise<GrpcServer> {
  return startGrpcServer({
    host: 'localhost',
    port: 0,
    logger: createLogger('test', 'silent'),
    definition: RouterServiceService,
    implementation: {
      getRoutes: (_call: unknown, callback: (error: null, response: RouteTable) => void) =>
        callback(null, RouteTable.fromPartial({})),
    },
    serviceName: 'tollgate.router.v1.RouterService',
    ...options,
  });
}

/** Calls the method at an address, over a new connection. */
export async function getRoutes(
  address: string,
  tls?: GrpcTls,
  options: UnaryCallOptions = ANSWERED,
): Promise<RouteTable> {
  const client = createGrpcClient(RouterServiceClient, address, tls);
  try {
    return await unaryCall(client.getRoutes.bind(client), {}, options);
  } finally {
    client.close();
  }
}
