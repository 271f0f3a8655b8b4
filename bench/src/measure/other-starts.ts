import { type Common, startProxy } from '../parts/common.ts';
import { type Stops, stopFrom } from '../parts/stops.ts';
import { type Spans, startTollgate } from '../parts/tollgate.ts';
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

async function measureLowRate(stops: Stops, common: Common, options: RunOptions): Promise<MeasuredScenario> {
  const position = stops.length;
  const tollgate = await startTollgate(stops, common, { spans: 'sampled' });
  const proxy = await startProxy(stops, common);
  const measured = await measureStarted(tollgate.route, proxy, JUST_STARTED_LOW_RATE, options);
  await stopFrom(stops, position);
  return measured;
}

async function measureSpans(
  stops: Stops,
  common: Common,
  spans: Spans,
  options: RunOptions,
): Promise<{ measured: MeasuredScenario; spansPerRequest: number }> {
  const { load, plan } = options;
  const position = stops.length;
  const { route, sink } = await startTollgate(stops, common, { spans });
  const routes: Routes = { gateway: route, proxy: await startProxy(stops, common), upstream: common.upstreamRoute };
  const round = { durationMs: plan.startedMs / 2, round: 0, halfLoad: 0 };
  await measureRound(load, routes.proxy, SMALL_CHAT, { ...round, durationMs: plan.roundMs });
  const { requests } = await measureRound(load, route, SMALL_CHAT, round);
  const spansPerRequest = (await sink.spans()) / requests;
  const measured = await measureScenario(routes, withSpans(SMALL_CHAT, spans), options);
  await stopFrom(stops, position);
  return { measured, spansPerRequest };
}
