import { meterOf } from '@tollgate/common/telemetry';

/** How a wait for the confirmations of a change ended. */
export type WaitOutcome = 'confirmed' | 'unfinished';

export interface RevocationMetrics {
  /** Counts one wait. */
  waited: (outcome: WaitOutcome, ms: number) => void;
}

/**
 * `tollgate_auth_watchers`: ingresses connected here.
 * `tollgate_auth_change_confirmation_ms` by `outcome`: from a committed (or repeated) change of a key or an account
 * until no ingress uses an older record, or until the caller's deadline.
 */
export function createRevocationMetrics(watchers: () => number): RevocationMetrics {
  const meter = meterOf('tollgate-auth');
  meter
    .createObservableGauge('tollgate_auth_watchers', { description: 'Ingresses connected here' })
    .addCallback((result) => result.observe(watchers()));
  const waits = meter.createHistogram('tollgate_auth_change_confirmation_ms', {
    description: 'From a committed change until it is in force at every ingress',
  });
  return { waited: (outcome, ms) => waits.record(ms, { outcome }) };
}
