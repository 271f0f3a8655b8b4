import type { FirstRequests } from '../measure/first-requests.ts';
import { type Spread, spreadOf } from '../stats/compare.ts';

/** The request whose cost has a budget, as a multiple of a warm one. */
const JUDGED_REQUEST = 100;
const LIMIT = 2;

/** The ingress's CPU time for a part of its first requests, in `bench/results.json`. */
export interface FirstRequestsFigure {
  from: number;
  to: number;
  cpu_us: Spread;
  /** To the last part, in which the ingress is warm. */
  to_warm: number;
  limit: number | null;
  within_budget: boolean | null;
}

/** @param measured in order; the ingress is warm in the last part, with the same load */
export function summariseFirstRequests(measured: readonly FirstRequests[]): FirstRequestsFigure[] {
  const warmUs = spreadOf(measured.at(-1)?.cpu ?? []).median;
  return measured.map(({ from, to, cpu }) => {
    const spread = spreadOf(cpu);
    const toWarm = spread.median / warmUs;
    const isJudged = from <= JUDGED_REQUEST && JUDGED_REQUEST <= to;
    return {
      from,
      to,
      cpu_us: spread,
      to_warm: toWarm,
      limit: isJudged ? LIMIT : null,
      within_budget: isJudged ? toWarm <= LIMIT : null,
    };
  });
}
