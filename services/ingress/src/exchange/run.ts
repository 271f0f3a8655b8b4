import type { Dependencies } from '../dependencies.ts';
import { type AttemptPlan, tryRoutes } from './attempts.ts';
import { chargeNothing } from './charge.ts';
import type { Exchange } from './exchange.ts';

/**
 * Runs an exchange to its end: its deployments are tried until one answers, a call that none answered is recorded at no
 * cost, and its credit is free again whatever went wrong.
 *
 * @param affinity a hash of what the conversation's requests have in common
 * @throws ApiError when no deployment answered
 */
export async function runExchange(
  deps: Dependencies,
  exchange: Exchange,
  affinity: number,
  planOf: () => AttemptPlan | Promise<AttemptPlan>,
): Promise<void> {
  // The request stays open until its call is over, even if its client leaves before.
  exchange.context.admission?.keep();
  try {
    const result = await tryRoutes(deps, exchange, affinity, await planOf());
    if (result.kind === 'answered') return;
    if (result.attempt !== undefined) await chargeNothing(deps.metrics, exchange, result.attempt);
    throw result.error;
  } finally {
    // Ends a hold that no attempt or an unforeseen error left open; one that was charged is over already.
    exchange.hold.release();
    exchange.context.admission?.release();
  }
}
