import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderInvitation } from '../../render/member.ts';

/** Operators and their open invitations. */
export function createListOperatorsHandler({ auth }: { auth: AuthServiceClient }): Handler<'GET /operator/operators'> {
  return async ({ rpc }) => {
    const options = await rpc();
    const [{ operators }, { invitations }] = await Promise.all([
      unaryCall(auth.listOperators.bind(auth), {}, options),
      unaryCall(auth.listInvitations.bind(auth), { accountId: '' }, options),
    ]);
    return {
      data: operators.map(({ personId, email, name }) => ({ person_id: personId, email, name })),
      invitations: invitations.map(renderInvitation),
    };
  };
}
