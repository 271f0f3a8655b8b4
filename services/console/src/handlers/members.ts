import { unaryCall } from '@tollgate/common/grpc/client';
import type { Member } from '@tollgate/proto/auth';
import type { Member as ShownMember } from '@tollgate/proto/console/members';
import type { Dependencies } from '../dependencies.ts';
import type { Handlers } from '../http/handlers.ts';
import { required } from '../required.ts';

/** Handlers of the members of an account. */
export function memberHandlers({ auth }: Dependencies) {
  return {
    listMembers: async (request, { rpc }) => {
      const options = await rpc();
      const [{ members }, { invitations }] = await Promise.all([
        unaryCall(auth.listMembers.bind(auth), request, options),
        unaryCall(auth.listInvitations.bind(auth), request, options),
      ]);
      return { data: members.map(showMember), invitations };
    },

    updateMember: async (request, { rpc }) => {
      const { member } = await unaryCall(auth.updateMember.bind(auth), request, await rpc());
      return showMember(required(member));
    },
  } satisfies Partial<Handlers>;
}

export function showMember({ person, role, joinedAtMs, projectIds }: Member): ShownMember {
  const { personId, email, name } = required(person);
  return { personId, email, name, role, joinedAtMs, projectIds };
}
