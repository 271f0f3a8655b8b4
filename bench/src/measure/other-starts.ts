import type { Common } from '../parts/common.ts';
import type { Stops } from '../parts/stops.ts';
import type { Spans } from '../parts/tollgate.ts';
import { JUST_STARTED_LOW_RATE, SMALL_CHAT, withSpans } from '../scenarios.ts';
import { type FirstRequests, measureFirstRequests } from './first-requests.ts';
import { measureRound } from './round.ts';
import { type MeasuredScenario, measureScenario, measureStarted, type RunOptions } from './run.ts';
import { withTollgate } from './with-tollgate.ts';

/** What needs a Tollgate that is started otherwise, or once more. */
export interface OtherStarts {
  scenarios: MeasuredScenario[];
  firstRequests: FirstRequests[];
  spansPerRequest: number;
}

/** Measures a low rate right after the start, the first requests, and the small chat without spans and with all exported. */
export async function measureOtherStarts(stops: Stops, common: Common, options: RunOptions): Promise<OtherStarts> {
  const { lowRate, firstRequests } = await measureStarts(stops, common, options);
  const none = await measureSpans(stops, common, 'none', options);
  const all = await measureSpans(stops, common, 'all', options);
  const scenarios = [lowRate, none.measured, all.measured];
  return { scenarios, firstRequests, spansPerRequest: all.spansPerRequest };
}

function measureStarts(
  stops: Stops,
  common: Common,
  options: RunOptions,
): Promise<{ lowRate: MeasuredScenario; firstRequests: FirstRequests[] }> {
  return withTollgate(stops, common, { spans: 'sampled' }, async (tollgate, routes) => ({
    lowRate: await measureStarted(routes, JUST_STARTED_LOW_RATE, options),
    firstRequests: await measureFirstRequests(tollgate, options),
  }));
}

function measureSpans(
  stops: Stops,
  common: Common,
  spans: Spans,
  options: RunOptions,
): Promise<{ measured: MeasuredScenario; spansPerRequest: number }> {
  const { load, plan } = options;
  return withTollgate(stops, common, { spans }, async ({ route, sink }, routes) => {
    const round = { durationMs: plan.warmUpMs, round: 0, halfLoad: 0 };
    await measureRound(load, routes.proxy, SMALL_CHAT, { ...round, durationMs: plan.roundMs });
    const { requests } = await measureRound(load, route, SMALL_CHAT, round);
    const spansPerRequest = (await sink.spans()) / requests;
    return { measured: await measureScenario(routes, withSpans(SMALL_CHAT, spans), options), spansPerRequest };
  });
}
