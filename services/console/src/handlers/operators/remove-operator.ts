import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';

/** Makes a person no longer an operator. */
export function createRemoveOperatorHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'DELETE /operator/operators/{person_id}'> {
  return async ({ path, rpc }) => {
    await unaryCall(auth.removeOperator.bind(auth), { personId: path.person_id }, await rpc());
  };
}
