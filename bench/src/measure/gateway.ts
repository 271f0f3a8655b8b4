import { setTimeout as delay } from 'node:timers/promises';
import { OPEN_STREAMS, QUIET_STREAMS, type Scenario } from '../scenarios.ts';
import { type MemoryByName, memoryOf } from './memory.ts';
import { measureOpenStreams, type OpenStreams } from './open-streams.ts';
import { measureRound } from './round.ts';
import type { Routes } from './routes.ts';
import { halfLoadOf, type MeasuredScenario, measureScenario, measureStarted, type RunOptions } from './run.ts';

/** The measurements of any gateway beside the bare proxy. */
export interface GatewayMeasurements {
  scenarios: MeasuredScenario[];
  /** After the start, by process. */
  memoryIdle: { gateway: MemoryByName; proxy: MemoryByName };
  openStreams: ComparedStreams[];
}

/** The same streams through the gateway and through the bare proxy. */
export interface ComparedStreams {
  gateway: OpenStreams;
  proxy: OpenStreams;
}

/**
 * Time before memory is read after the start: by then an idle service has collected the garbage of its start, also one that was
 * still busy when it looked first.
 */
const IDLE_MS = 45_000;

/**
 * Measures a gateway that has just started beside a bare proxy that has.
 *
 * @param wanted what is measured right after the start, and then in this order
 */
export async function measureGateway(
  routes: Routes,
  wanted: { started: Scenario; scenarios: readonly Scenario[] },
  options: RunOptions,
): Promise<GatewayMeasurements> {
  const { load, plan, report } = options;
  const memoryIdle = await measureIdleMemory(routes);
  const measured = [await measureStarted(routes, wanted.started, options)];
  report('warming up');
  await measureRound(load, routes.gateway, wanted.started, { durationMs: plan.warmUpMs, round: 0, halfLoad: 0 });
  for (const scenario of wanted.scenarios) {
    measured.push(await measureScenario(routes, scenario, { ...options, halfLoad: halfLoadOf(measured) }));
  }
  return { scenarios: measured, memoryIdle, openStreams: await measureAllStreams(routes, options) };
}

/** Memory of processes that have just started and then been idle. */
export async function measureIdleMemory({ gateway, proxy }: Routes): Promise<GatewayMeasurements['memoryIdle']> {
  await delay(IDLE_MS);
  return { gateway: memoryOf(gateway.processes), proxy: memoryOf(proxy.processes) };
}

/** Streams with an event a second, and if the plan has any, with one every ten seconds. */
export async function measureAllStreams(
  routes: Routes,
  { load, plan, report }: RunOptions,
): Promise<ComparedStreams[]> {
  const wanted = [
    { spec: OPEN_STREAMS, streams: plan.openStreams, durationMs: plan.openStreamsMs },
    { spec: QUIET_STREAMS, streams: plan.quietStreams, durationMs: plan.quietStreamsMs },
  ];
  const measured: ComparedStreams[] = [];
  for (const options of wanted.filter(({ streams }) => streams > 0)) {
    report(`${options.streams} open streams`);
    measured.push({
      gateway: await measureOpenStreams(load, routes.gateway, options),
      proxy: await measureOpenStreams(load, routes.proxy, options),
    });
  }
  return measured;
}
