import type { CallContext } from '@tollgate/common/grpc/handler';
import type { Charge, ChargeLine } from '@tollgate/proto/ledger';

/** The charge as the caller may see it: only operators get what the upstream charges them, and list prices beside an account's own. */
export function forActor(charge: Charge, { actor }: Pick<CallContext, 'actor'>): Charge {
  if (actor?.role === 'operator') return charge;
  const { upstreamCostNanos: _upstream, baseCostNanos: base, ...shown } = charge;
  return base === undefined ? shown : { ...shown, lines: shown.lines.map(withoutListRate) };
}

export function withoutListRate({ listRateNanosPerMillion: _rate, ...line }: ChargeLine): ChargeLine {
  return line;
}
