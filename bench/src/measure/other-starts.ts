import { type Common, startProxy } from '../parts/common.ts';
import { type Stops, stopFrom } from '../parts/stops.ts';
import { type Spans, startTollgate, type Tollgate } from '../parts/tollgate.ts';
import { JUST_STARTED_LOW_RATE, SMALL_CHAT, withSpans } from '../scenarios.ts';
import { measureRound } from './round.ts';
import type { Routes } from './routes.ts';
import { type MeasuredScenario, measureScenario, measureStarted, type RunOptions } from './run.ts';

/** What needs a Tollgate that is started otherwise, or once more. */
export interface OtherStarts {
  scenarios: MeasuredScenario[];
  spansPerRequest: number;
}

/** Measures the small chat without spans and with all of them exported; with LONG=1 also a low rate right after the start. */
export async function measureOtherStarts(stops: Stops, common: Common, options: RunOptions): Promise<OtherStarts> {
  const scenarios: MeasuredScenario[] = [];
  if (options.plan.name === 'long') scenarios.push(await measureLowRate(stops, common, options));
  const none = await measureSpans(stops, common, 'none', options);
  const all = await measureSpans(stops, common, 'all', options);
  return { scenarios: [...scenarios, none.measured, all.measured], spansPerRequest: all.spansPerRequest };
}

function measureLowRate(stops: Stops, common: Common, options: RunOptions): Promise<MeasuredScenario> {
  return withTollgate(stops, common, 'sampled', (_, routes) => measureStarted(routes, JUST_STARTED_LOW_RATE, options));
}

function measureSpans(
  stops: Stops,
  common: Common,
  spans: Spans,
  options: RunOptions,
): Promise<{ measured: MeasuredScenario; spansPerRequest: number }> {
  const { load, plan } = options;
  return withTollgate(stops, common, spans, async ({ route, sink }, routes) => {
    const round = { durationMs: plan.startedMs / 2, round: 0, halfLoad: 0 };
    await measureRound(load, routes.proxy, SMALL_CHAT, { ...round, durationMs: plan.roundMs });
    const { requests } = await measureRound(load, route, SMALL_CHAT, round);
    const spansPerRequest = (await sink.spans()) / requests;
    return { measured: await measureScenario(routes, withSpans(SMALL_CHAT, spans), options), spansPerRequest };
  });
}

/** Starts a further Tollgate and a bare proxy for a measurement, and stops them after it. */
async function withTollgate<T>(
  stops: Stops,
  common: Common,
  spans: Spans,
  measure: (tollgate: Tollgate, routes: Routes) => Promise<T>,
): Promise<T> {
  const position = stops.length;
  const tollgate = await startTollgate(stops, common, { spans });
  const proxy = await startProxy(stops, common);
  const result = await measure(tollgate, { gateway: tollgate.route, proxy, upstream: common.upstreamRoute });
  await stopFrom(stops, position);
  return result;
}
