import { unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Health } from '@tollgate/common/health';
import type { ShutdownStep } from '@tollgate/common/shutdown';
import { type AuthServiceServer, AuthServiceService } from '@tollgate/proto/auth';
import type { Dependencies } from './dependencies.ts';
import { createAccount } from './handlers/create-account.ts';
import { createKey } from './handlers/create-key.ts';
import { deleteKey } from './handlers/delete-key.ts';
import { getAccount } from './handlers/get-account.ts';
import { listAccounts } from './handlers/list-accounts.ts';
import { listKeys } from './handlers/list-keys.ts';
import { reportKeyUse } from './handlers/report-key-use.ts';
import { resolveKey } from './handlers/resolve-key.ts';
import { resumeAccount } from './handlers/resume-account.ts';
import { rotateKey } from './handlers/rotate-key.ts';
import { suspendAccount } from './handlers/suspend-account.ts';
import { updateAccount } from './handlers/update-account.ts';
import { updateKey } from './handlers/update-key.ts';
import { watchReadiness } from './jobs/watch-readiness.ts';

/** Share of the grace period that open calls get. */
const CALLS_SHARE = 0.8;

/** The service as a process runs it: the gRPC server and the background jobs. */
export interface Server {
  start: () => Promise<void>;
  /** Stop it in order. */
  stopSteps: ShutdownStep[];
}

/** Creates the service. It serves once Postgres responds with a schema that it can use. */
export function createServer(deps: Dependencies, health: Health): Server {
  const { config, logger, pool, redis, revocations } = deps;
  let server: GrpcServer | undefined;
  let stopReadiness: (() => Promise<void>) | undefined;
  const start = async () => {
    server = await startGrpcServer({
      host: config.LISTEN_HOST,
      port: config.GRPC_PORT,
      socket: config.GRPC_SOCKET,
      logger,
      definition: AuthServiceService,
      implementation: createHandlers(deps),
      serviceName: 'tollgate.auth.v1.AuthService',
      tls: grpcTls(config),
      health,
    });
    revocations.start();
    stopReadiness = watchReadiness({ pool, logger, setServing: server.setServing });
  };
  return {
    start,
    stopSteps: [
      { name: 'readiness', run: () => stopReadiness?.() },
      { name: 'streams', run: () => revocations.stop() },
      { name: 'server', run: () => server?.stop(config.SHUTDOWN_GRACE_MS * CALLS_SHARE) },
      { name: 'redis', run: () => redis.disconnect() },
      { name: 'database', run: () => pool.end() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}

/** Creates the handlers of all RPCs. */
function createHandlers(deps: Dependencies): AuthServiceServer {
  const call = <Request, Response>(
    method: string,
    handler: (deps: Dependencies, request: Request, signal: AbortSignal) => Promise<Response>,
  ) => unary<Request, Response>(`auth.${method}`, deps.logger, (request, { signal }) => handler(deps, request, signal));
  return {
    createAccount: call('CreateAccount', createAccount),
    getAccount: call('GetAccount', getAccount),
    listAccounts: call('ListAccounts', listAccounts),
    createKey: call('CreateKey', createKey),
    listKeys: call('ListKeys', listKeys),
    deleteKey: call('DeleteKey', deleteKey),
    updateKey: call('UpdateKey', updateKey),
    rotateKey: call('RotateKey', rotateKey),
    updateAccount: call('UpdateAccount', updateAccount),
    suspendAccount: call('SuspendAccount', suspendAccount),
    resumeAccount: call('ResumeAccount', resumeAccount),
    reportKeyUse: call('ReportKeyUse', reportKeyUse),
    resolveKey: call('ResolveKey', resolveKey),
    watchRevocations: (stream) => deps.revocations.serve(stream),
  };
}
