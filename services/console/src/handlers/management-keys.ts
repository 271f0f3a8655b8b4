import { unaryCall } from '@tollgate/common/grpc/client';
import { Role } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import type { Handlers } from '../http/handlers.ts';

/** Handlers of management keys. */
export function managementKeyHandlers({ auth }: Dependencies) {
  return {
    createOperatorManagementKey: async (request, { rpc }) => {
      const ofOperators = { ...request, accountId: '', role: Role.OPERATOR };
      return unaryCall(auth.createManagementKey.bind(auth), ofOperators, await rpc());
    },
  } satisfies Partial<Handlers>;
}
