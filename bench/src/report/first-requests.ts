import type { FirstRequests } from '../measure/first-requests.ts';
import { type Spread, spreadOf } from '../stats/compare.ts';

/** The ingress's CPU time for a part of its first requests, in `bench/results.json`. */
export interface FirstRequestsFigure {
  from: number;
  to: number;
  cpu_us: Spread;
  /** To the last part, in which the ingress is warm. */
  to_warm: number;
}

/** @param measured in order; the ingress is warm in the last part, with the same load */
export function summariseFirstRequests(measured: readonly FirstRequests[]): FirstRequestsFigure[] {
  const warmUs = spreadOf(measured.at(-1)?.cpu ?? []).median;
  return measured.map(({ from, to, cpu }) => {
    const spread = spreadOf(cpu);
    return { from, to, cpu_us: spread, to_warm: spread.median / warmUs };
  });
}
