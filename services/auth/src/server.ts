import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { CALLS_GRACE_SHARE, listenOptions, type Service } from '@tollgate/common/grpc/service';
import type { Health } from '@tollgate/common/health';
import { type AuthServiceServer, AuthServiceService } from '@tollgate/proto/auth';
import type { Dependencies } from './dependencies.ts';
import { createCreateAccountHandler } from './handlers/create-account.ts';
import { createCreateKeyHandler } from './handlers/create-key.ts';
import { createDeleteKeyHandler } from './handlers/delete-key.ts';
import { createGetAccountHandler } from './handlers/get-account.ts';
import { createListAccountsHandler } from './handlers/list-accounts.ts';
import { createListKeysHandler } from './handlers/list-keys.ts';
import { createReportKeyUseHandler } from './handlers/report-key-use.ts';
import { createResolveKeyHandler } from './handlers/resolve-key.ts';
import { createResumeAccountHandler } from './handlers/resume-account.ts';
import { createRotateKeyHandler } from './handlers/rotate-key.ts';
import { createSuspendAccountHandler } from './handlers/suspend-account.ts';
import { createUpdateAccountHandler } from './handlers/update-account.ts';
import { createUpdateKeyHandler } from './handlers/update-key.ts';
import { createWatchRevocationsHandler } from './handlers/watch-revocations.ts';
import { watchReadiness } from './jobs/watch-readiness.ts';

const SERVICE_NAME = 'tollgate.auth.v1.AuthService';

/** Creates the service. It serves once Postgres responds and has a usable schema. */
export function createServer(deps: Dependencies, health: Health): Service {
  const { config, logger, pool, redis, revocations } = deps;
  let server: GrpcServer | undefined;
  let stopReadiness: (() => Promise<void>) | undefined;
  const start = async () => {
    server = await startGrpcServer({
      ...listenOptions(config),
      logger,
      definition: AuthServiceService,
      implementation: createHandlers(deps),
      serviceName: SERVICE_NAME,
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
    createAccount: call('CreateAccount', createCreateAccountHandler(deps)),
    getAccount: call('GetAccount', createGetAccountHandler(deps)),
    listAccounts: call('ListAccounts', createListAccountsHandler(deps)),
    createKey: call('CreateKey', createCreateKeyHandler(deps)),
    listKeys: call('ListKeys', createListKeysHandler(deps)),
    deleteKey: call('DeleteKey', createDeleteKeyHandler(deps)),
    updateKey: call('UpdateKey', createUpdateKeyHandler(deps)),
    rotateKey: call('RotateKey', createRotateKeyHandler(deps)),
    updateAccount: call('UpdateAccount', createUpdateAccountHandler(deps)),
    suspendAccount: call('SuspendAccount', createSuspendAccountHandler(deps)),
    resumeAccount: call('ResumeAccount', createResumeAccountHandler(deps)),
    reportKeyUse: call('ReportKeyUse', createReportKeyUseHandler(deps)),
    resolveKey: call('ResolveKey', createResolveKeyHandler(deps)),
    watchRevocations: createWatchRevocationsHandler(deps),
  };
}
