import type { RoleName } from '@tollgate/common/actors/roles';
import type { CallContext } from '@tollgate/common/grpc/handler';
import type { Refusal } from '@tollgate/proto/ledger';

/** The refusal as the caller may see it: without the name of a service account or member that they see nowhere else. */
export function refusalForActor(refusal: Refusal, { actor }: Pick<CallContext, 'actor'>): Refusal {
  const { limit } = refusal;
  if (limit === undefined || actor === undefined || seesNames(actor.role, limit.scope)) return refusal;
  return { ...refusal, limit: { ...limit, name: '' } };
}

/** Whether a role sees the names of what has a cap, where it sees the request. */
function seesNames(role: RoleName, scope: string): boolean {
  switch (scope) {
    case 'key':
    case 'session':
    case 'project':
      return true;
    case 'service_account':
      return role !== 'billing';
    default:
      return role === 'operator' || role === 'owner' || role === 'admin';
  }
}
