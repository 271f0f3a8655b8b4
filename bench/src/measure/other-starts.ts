import type { Common } from '../parts/common.ts';
import type { Stops } from '../parts/stops.ts';
import { JUST_STARTED_LOW_RATE } from '../scenarios.ts';
import { type FirstRequests, measureFirstRequests } from './first-requests.ts';
import { type MeasuredScenario, measureStarted, type RunOptions } from './run.ts';
import { withTollgate } from './with-tollgate.ts';

/** What needs a Tollgate that is started once more. */
export interface OtherStarts {
  lowRate: MeasuredScenario;
  firstRequests: FirstRequests[];
}

/** Measures a low rate right after the start, and the first requests. */
export function measureOtherStarts(stops: Stops, common: Common, options: RunOptions): Promise<OtherStarts> {
  return withTollgate(stops, common, { spans: 'sampled' }, async (tollgate, routes) => ({
    lowRate: await measureStarted(routes, JUST_STARTED_LOW_RATE, options),
    firstRequests: await measureFirstRequests(tollgate, options),
  }));
}
