import { meterOf } from '@tollgate/common/telemetry';

/** How a wait for the confirmations of a change ended. */
export type WaitOutcome = 'confirmed' | 'unfinished';

export interface RevocationMetrics {
  /** Counts one wait. */
  waited: (outcome: WaitOutcome, ms: number) => void;
}

/**
 * `tollgate_auth_watchers`: ingresses connected here.
 * `tollgate_auth_change_confirmation_ms` by `outcome`: from a change of a key or an account committed, or asked for once
 * more, until no ingress uses a record from before it, or until the caller's deadline.
 */
export function createRevocationMetrics(watchers: () => number): RevocationMetrics {
  const meter = meterOf('tollgate-auth');
  meter
    .createObservableGauge('tollgate_auth_watchers', { description: 'Ingresses connected here' })
    .addCallback((result) => result.observe(watchers()));
  const waits = meter.createHistogram('tollgate_auth_change_confirmation_ms', {
    description: 'From a change committed until it holds at every ingress',
  });
  return { waited: (outcome, ms) => waits.record(ms, { outcome }) };
}
