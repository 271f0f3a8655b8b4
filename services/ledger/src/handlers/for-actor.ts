import type { CallContext } from '@tollgate/common/grpc/handler';
import type { Charge } from '@tollgate/proto/ledger';

/** The charge as the caller may see it: only operators get what the upstream charges them. */
export function forActor(charge: Charge, { actor }: Pick<CallContext, 'actor'>): Charge {
  return actor?.role === 'operator' ? charge : { ...charge, upstreamCostNanos: undefined };
}
