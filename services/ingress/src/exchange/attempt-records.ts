import type { Attempt as AttemptRecord } from '@tollgate/proto/ledger';
import type { Attempt, Exchange } from './exchange.ts';
import { causeOf, type UpstreamFailure } from './upstream/failure.ts';

/** Shared, because nearly every charge has none. */
const NO_ATTEMPTS: AttemptRecord[] = [];

/** What a charge records of one call: no text of the upstream. */
export function attemptRecord(
  { context }: Pick<Exchange, 'context'>,
  { route, startedAt, providerStatus }: Attempt,
  failure: UpstreamFailure | undefined,
): AttemptRecord {
  return {
    deployment: route.deployment.deploymentId,
    startedMs: Math.round(startedAt - context.startedAt),
    durationMs: Math.round(performance.now() - startedAt),
    cause: failure === undefined ? '' : causeOf(failure),
    providerStatus,
  };
}

/** All calls up to an attempt; empty if the first one succeeded, so that such a charge is no larger. */
export function attemptRecords(
  exchange: Pick<Exchange, 'context'>,
  attempt: Attempt,
  failure: UpstreamFailure | undefined,
): AttemptRecord[] {
  if (failure === undefined && attempt.earlier.length === 0) return NO_ATTEMPTS;
  return [...attempt.earlier, attemptRecord(exchange, attempt, failure)];
}
