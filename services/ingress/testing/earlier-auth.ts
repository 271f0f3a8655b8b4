import type { ServerDuplexStream } from '@grpc/grpc-js';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { unary } from '@tollgate/common/grpc/handler';
import { startGrpcServer } from '@tollgate/common/grpc/server';
import { createLogger } from '@tollgate/common/logging';
import {
  AuthServiceClient,
  AuthServiceService,
  ChangesVersion,
  type ResolveKeyRequest,
  ResolveKeyResponse,
  type WatchRevocationsRequest,
  type WatchRevocationsResponse,
} from '@tollgate/proto/auth';

const silent = createLogger('test', 'silent');
const version = ChangesVersion.UNSPECIFIED;

/** An auth of the previous version: a current one behind a server that removes everything new. */
export interface EarlierAuth {
  address: string;
  /** Goodbyes received. */
  goodbyes: () => number;
  stop: () => Promise<void>;
}

/**
 * Starts one.
 *
 * @param address of the real auth that does the work
 * @param beforeGoodbye what it waits for before it hears that an ingress leaves
 */
export async function startEarlierAuth(address: string, beforeGoodbye = Promise.resolve()): Promise<EarlierAuth> {
  let goodbyes = 0;
  const client = createGrpcClient(AuthServiceClient, address);
  const watchRevocations = (call: ServerDuplexStream<WatchRevocationsRequest, WatchRevocationsResponse>) => {
    const stream = client.watchRevocations();
    let left = false;
    call.on('data', (request: WatchRevocationsRequest) => {
      const pass = () => stream.write({ ...request, version });
      if (request.leaving) {
        left = true;
        goodbyes += 1;
        void beforeGoodbye.then(pass);
      } else pass();
    });
    // The real one ends the streams of those that left.
    call.on('end', () => left || stream.end());
    call.on('cancelled', () => left || stream.cancel());
    stream.on('data', (response: WatchRevocationsResponse) => {
      const revocations = response.revocations.filter(({ what }) => what?.$case === 'deadKeySha256');
      call.write({ ...response, revocations, version });
    });
    stream.on('end', () => call.end());
    stream.on('error', () => call.end());
  };
  const resolveKey = unary('ResolveKey', silent, async (request: ResolveKeyRequest) => {
    const { result } = await unaryCall(client.resolveKey.bind(client), request, { deadlineMs: 5_000 });
    if (result?.$case !== 'active') return ResolveKeyResponse.fromPartial({ result });
    const value = { ...result.value, limits: undefined, accountLimits: undefined, tags: {}, accountRevision: 0n };
    return ResolveKeyResponse.fromPartial({ result: { ...result, value } });
  });
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger: silent,
    definition: AuthServiceService,
    implementation: { watchRevocations, resolveKey },
    serviceName: 'tollgate.auth.v1.AuthService',
  });
  return {
    address: `127.0.0.1:${server.port}`,
    goodbyes: () => goodbyes,
    stop: async () => {
      client.close();
      await server.stop(0);
    },
  };
}
