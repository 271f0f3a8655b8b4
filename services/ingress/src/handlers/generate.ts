import type { Protocol } from '@tollgate/protocols/interface/protocol';
import type { Exchanges } from '../exchange/exchanges.ts';
import { NO_PATH_PARAMETERS } from '../plan/generate/read-request.ts';
import type { Planner } from '../plan/planner.ts';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';

/** What endpoints that call a provider work with. */
export interface CallDependencies {
  planner: Planner;
  exchanges: Exchanges;
}

/**
 * A generation endpoint of a client protocol: checks the request, holds credit, calls an upstream, relays its response and
 * charges for it.
 *
 * @param insufficientStatus the endpoint's status for an insufficient balance
 */
export function createGenerateHandler(
  { planner, exchanges }: CallDependencies,
  protocol: Protocol,
  insufficientStatus: 400 | 402,
) {
  const endpoint = { protocol, insufficientStatus };
  return async (req: TollgateRequest, res: TollgateResponse, path = NO_PATH_PARAMETERS): Promise<void> =>
    exchanges.make(res, await planner.generation(endpoint, req, res, path));
}
