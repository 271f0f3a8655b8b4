import { meterOf } from '@tollgate/common/telemetry';

/**
 * Measures whether this ingress trusts what it remembers of keys: `tollgate.revocations.trusted`, 1 or 0 now, and
 * `tollgate.revocations.trust_changes` by `trusted`, how often it has come to that.
 *
 * @param trusted whether it does at this moment
 * @returns to be called whenever that may have changed
 */
export function createTrustMetrics(trusted: () => boolean): () => void {
  const meter = meterOf('tollgate-ingress');
  meter
    .createObservableGauge('tollgate.revocations.trusted', {
      description: 'Whether changes of keys reach this ingress, so that it believes what it remembers of them.',
    })
    .addCallback((result) => result.observe(trusted() ? 1 : 0));
  const changes = meter.createCounter('tollgate.revocations.trust_changes', {
    unit: '{change}',
    description: 'How often this ingress came to trust what it remembers of keys, or to trust it no more.',
  });
  let last = false;
  return () => {
    const now = trusted();
    if (now !== last) changes.add(1, { trusted: now });
    last = now;
  };
}
