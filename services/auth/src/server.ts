import { unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { type AuthServiceServer, AuthServiceService } from '@tollgate/proto/auth';
import type { Dependencies } from './dependencies.ts';
import { createAccount } from './handlers/create-account.ts';
import { createKey } from './handlers/create-key.ts';
import { deleteKey } from './handlers/delete-key.ts';
import { getAccount } from './handlers/get-account.ts';
import { listAccounts } from './handlers/list-accounts.ts';
import { listKeys } from './handlers/list-keys.ts';
import { resolveKey } from './handlers/resolve-key.ts';
import { setDiscount } from './handlers/set-discount.ts';
import { setSpendingCaps } from './handlers/set-spending-caps.ts';

const SERVICE = 'tollgate.auth.v1.AuthService';

/** Starts the gRPC server of auth with all its calls. */
export function startAuthServer(deps: Dependencies, listen: { host: string; port: number }): Promise<GrpcServer> {
  const { logger } = deps;
  const implementation: AuthServiceServer = {
    createAccount: unary('auth.CreateAccount', logger, (request) => createAccount(deps, request)),
    getAccount: unary('auth.GetAccount', logger, (request) => getAccount(deps, request)),
    listAccounts: unary('auth.ListAccounts', logger, (request) => listAccounts(deps, request)),
    createKey: unary('auth.CreateKey', logger, (request) => createKey(deps, request)),
    listKeys: unary('auth.ListKeys', logger, (request) => listKeys(deps, request)),
    deleteKey: unary('auth.DeleteKey', logger, (request, { signal }) => deleteKey(deps, request, signal)),
    setSpendingCaps: unary('auth.SetSpendingCaps', logger, (request) => setSpendingCaps(deps, request)),
    setDiscount: unary('auth.SetDiscount', logger, (request) => setDiscount(deps, request)),
    resolveKey: unary('auth.ResolveKey', logger, (request) => resolveKey(deps, request)),
    watchRevocations: (call) => deps.revocations.serve(call),
  };
  return startGrpcServer({ ...listen, logger, definition: AuthServiceService, implementation, serviceName: SERVICE });
}
