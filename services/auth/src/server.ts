import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { CALLS_GRACE_SHARE, type Service } from '@tollgate/common/grpc/service';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Health } from '@tollgate/common/health';
import { type AuthServiceServer, AuthServiceService } from '@tollgate/proto/auth';
import type { Dependencies } from './dependencies.ts';
import { createAccountHandler } from './handlers/create-account.ts';
import { createKeyHandler } from './handlers/create-key.ts';
import { deleteKeyHandler } from './handlers/delete-key.ts';
import { getAccountHandler } from './handlers/get-account.ts';
import { listAccountsHandler } from './handlers/list-accounts.ts';
import { listKeysHandler } from './handlers/list-keys.ts';
import { reportKeyUseHandler } from './handlers/report-key-use.ts';
import { resolveKeyHandler } from './handlers/resolve-key.ts';
import { resumeAccountHandler } from './handlers/resume-account.ts';
import { rotateKeyHandler } from './handlers/rotate-key.ts';
import { suspendAccountHandler } from './handlers/suspend-account.ts';
import { updateAccountHandler } from './handlers/update-account.ts';
import { updateKeyHandler } from './handlers/update-key.ts';
import { watchRevocationsHandler } from './handlers/watch-revocations.ts';
import { watchReadiness } from './jobs/watch-readiness.ts';

const SERVICE_NAME = 'tollgate.auth.v1.AuthService';

/** Creates the service. It serves once Postgres responds with a schema that it can use. */
export function createServer(deps: Dependencies, health: Health): Service {
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
      serviceName: SERVICE_NAME,
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
      { name: 'server', run: () => server?.stop(config.SHUTDOWN_GRACE_MS * CALLS_GRACE_SHARE) },
      { name: 'redis', run: () => redis.disconnect() },
      { name: 'database', run: () => pool.end() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}

/** Creates the handlers of all RPCs. */
function createHandlers(deps: Dependencies): AuthServiceServer {
  const call = <Request, Response>(method: string, handler: UnaryHandler<Request, Response>) =>
    unary(`${SERVICE_NAME}/${method}`, deps.logger, handler);
  return {
    createAccount: call('CreateAccount', createAccountHandler(deps)),
    getAccount: call('GetAccount', getAccountHandler(deps)),
    listAccounts: call('ListAccounts', listAccountsHandler(deps)),
    createKey: call('CreateKey', createKeyHandler(deps)),
    listKeys: call('ListKeys', listKeysHandler(deps)),
    deleteKey: call('DeleteKey', deleteKeyHandler(deps)),
    updateKey: call('UpdateKey', updateKeyHandler(deps)),
    rotateKey: call('RotateKey', rotateKeyHandler(deps)),
    updateAccount: call('UpdateAccount', updateAccountHandler(deps)),
    suspendAccount: call('SuspendAccount', suspendAccountHandler(deps)),
    resumeAccount: call('ResumeAccount', resumeAccountHandler(deps)),
    reportKeyUse: call('ReportKeyUse', reportKeyUseHandler(deps)),
    resolveKey: call('ResolveKey', resolveKeyHandler(deps)),
    watchRevocations: watchRevocationsHandler(deps),
  };
}
