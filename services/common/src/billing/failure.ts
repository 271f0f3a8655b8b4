import { type Charge, ChargeStatus } from '@tollgate/proto/ledger';
import { FAILURE_TEXTS, isFailureCause } from '../failure-causes.ts';

/** The outcome of an attempt that did not fail. */
const RESPONDED = 'responded';

/**
 * Why a request failed and what to do next; null for one that did not fail, and for one that an ingress charged before
 * failures were recorded. A cause of a newer ingress, which is not known here, has no sentences.
 */
export function renderFailure({ status, httpStatus, errorType, attempts }: Charge) {
  const last = attempts.at(-1);
  if (status !== ChargeStatus.FAILED || last === undefined || last.cause === '') return null;
  const text = isFailureCause(last.cause) ? FAILURE_TEXTS[last.cause] : undefined;
  return {
    http_status: httpStatus === 0 ? null : httpStatus,
    error_type: errorType === '' ? null : errorType,
    cause: last.cause,
    provider_status: providerStatusOf(last),
    sentence: text?.happened ?? '',
    action: text?.remedy ?? '',
  };
}

/** The calls to providers, in order; empty if the first one succeeded. */
export function renderAttempts({ attempts }: Pick<Charge, 'attempts'>) {
  return attempts.map((attempt) => ({
    deployment: attempt.deployment,
    started_ms: attempt.startedMs,
    duration_ms: attempt.durationMs,
    outcome: attempt.cause === '' ? RESPONDED : attempt.cause,
    provider_status: providerStatusOf(attempt),
  }));
}

/** The cause in a few words. */
export function failureLabel(cause: string): string {
  return isFailureCause(cause) ? FAILURE_TEXTS[cause].label : cause;
}

/** The outcome of an attempt in a few words. */
export function outcomeLabel(outcome: string): string {
  return outcome === RESPONDED ? 'Responded' : failureLabel(outcome);
}

function providerStatusOf({ providerStatus }: Charge['attempts'][number]): number | null {
  return providerStatus === 0 ? null : providerStatus;
}
