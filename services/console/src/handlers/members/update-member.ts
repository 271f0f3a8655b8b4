import { roleOf } from '@tollgate/common/actors/roles';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderMember } from '../../render/member.ts';
import { required } from '../../required.ts';

/** Changes the role of a member. */
export function createUpdateMemberHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'PATCH /accounts/{account_id}/members/{person_id}'> {
  return async ({ path, body, rpc }) => {
    const request = { accountId: path.account_id, personId: path.person_id, role: roleOf(body.role) };
    const { member } = await unaryCall(auth.updateMember.bind(auth), request, await rpc());
    return renderMember(required(member));
  };
}
