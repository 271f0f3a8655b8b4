import { type ChargeDependencies, recordFailure } from './charge.ts';
import type { Exchange } from './exchange.ts';
import { type AttemptDependencies, type AttemptPlanner, type Conversation, tryRoutes } from './upstream-attempts.ts';

/**
 * Runs an exchange to its end: tries its deployments until one responds, records a call without a response at no cost, and
 * releases the hold whatever goes wrong.
 *
 * @throws ApiError when no deployment responded
 */
export async function runExchange(
  deps: AttemptDependencies & ChargeDependencies,
  exchange: Exchange,
  conversation: Conversation,
  createPlanner: () => AttemptPlanner | Promise<AttemptPlanner>,
): Promise<void> {
  // The request stays open until its call has ended, even if its client disconnects before.
  exchange.context.admission?.retain();
  try {
    const result = await tryRoutes(deps, exchange, conversation, await createPlanner());
    if (result.kind === 'started') return;
    if (result.last !== undefined) await recordFailure(deps, exchange, result.last);
    throw result.error;
  } finally {
    // Does nothing if the hold was captured; otherwise no attempt was made, or an unexpected error occurred.
    exchange.hold.release();
    exchange.context.admission?.release();
  }
}
