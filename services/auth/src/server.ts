import { unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, type GrpcServerOptions, startGrpcServer } from '@tollgate/common/grpc/server';
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

const SERVICE = 'tollgate.auth.v1.AuthService';

/** Starts the gRPC server of auth with all its calls. */
export function startAuthServer(
  deps: Dependencies,
  listen: Pick<GrpcServerOptions, 'host' | 'port' | 'socket' | 'tls' | 'health'>,
): Promise<GrpcServer> {
  const { logger } = deps;
  const implementation: AuthServiceServer = {
    createAccount: unary('auth.CreateAccount', logger, (request) => createAccount(deps, request)),
    getAccount: unary('auth.GetAccount', logger, (request) => getAccount(deps, request)),
    listAccounts: unary('auth.ListAccounts', logger, (request) => listAccounts(deps, request)),
    createKey: unary('auth.CreateKey', logger, (request) => createKey(deps, request)),
    listKeys: unary('auth.ListKeys', logger, (request) => listKeys(deps, request)),
    deleteKey: unary('auth.DeleteKey', logger, (request, { signal }) => deleteKey(deps, request, signal)),
    updateKey: unary('auth.UpdateKey', logger, (request, { signal }) => updateKey(deps, request, signal)),
    rotateKey: unary('auth.RotateKey', logger, (request, { signal }) => rotateKey(deps, request, signal)),
    updateAccount: unary('auth.UpdateAccount', logger, (request, { signal }) => updateAccount(deps, request, signal)),
    suspendAccount: unary('auth.SuspendAccount', logger, (request, { signal }) =>
      suspendAccount(deps, request, signal),
    ),
    resumeAccount: unary('auth.ResumeAccount', logger, (request, { signal }) => resumeAccount(deps, request, signal)),
    reportKeyUse: unary('auth.ReportKeyUse', logger, (request) => reportKeyUse(deps, request)),
    resolveKey: unary('auth.ResolveKey', logger, (request) => resolveKey(deps, request)),
    watchRevocations: (call) => deps.revocations.serve(call),
  };
  return startGrpcServer({ ...listen, logger, definition: AuthServiceService, implementation, serviceName: SERVICE });
}
