import { setTimeout as delay } from 'node:timers/promises';
import { type GrowthPoint, measureGrowth } from '../growth/measure.ts';
import { type LedgerMeasurements, measureLedger } from '../ledger/measure.ts';
import { ledgerOptions } from '../ledger/options.ts';
import { describeInstalled, type Installed } from '../machine/installed.ts';
import { createKeys } from '../parts/accounts.ts';
import { type Common, startProxy } from '../parts/common.ts';
import type { Stops } from '../parts/stops.ts';
import { startTollgate, type Tollgate } from '../parts/tollgate.ts';
import { LOOKUPS_PER_SECOND } from '../plan.ts';
import { COLD_KEYS, JUST_STARTED, SMALL_STREAM, WARM_SCENARIOS, WRONG_KEYS } from '../scenarios.ts';
import type { FirstRequests } from './first-requests.ts';
import { type GatewayMeasurements, measureGateway } from './gateway.ts';
import { type LookupRound, measureLookup } from './lookup.ts';
import { type MemoryByName, memoryOf } from './memory.ts';
import { measureOtherStarts } from './other-starts.ts';
import type { Routes } from './routes.ts';
import { halfLoadOf, type MeasuredScenario, measureScenario, type RunOptions } from './run.ts';
import { measureSlowReaders, type SlowReading } from './slow-readers.ts';
import { measureSoak, type SoakBucket } from './soak.ts';
import { type LongestTurns, measureTurns } from './turns.ts';

/** All measurements of Tollgate: also those that only it has. */
export interface TollgateMeasurements extends GatewayMeasurements {
  /** A minute after all load. */
  memoryAfterLoad: MemoryByName;
  lookups: LookupRound[];
  /** While large bodies arrive; undefined without LONG=1. */
  longestTurns: LongestTurns | undefined;
  slowReading: SlowReading;
  firstRequests: FirstRequests[];
  growth: GrowthPoint[];
  /** Over an hour; empty without LONG=1. */
  soak: SoakBucket[];
  /** Spans of a request of the small chat, if all are exported. */
  spansPerRequest: number;
  ledger: LedgerMeasurements;
  installed: Installed;
  /** Process ids of the services by name. */
  pids: Readonly<Record<string, number>>;
}

/** Measures everything of Tollgate, with 10 % of the spans exported unless a scenario says otherwise. */
export async function measureTollgate(
  stops: Stops,
  common: Common,
  options: RunOptions & { profileFolder: string | undefined },
): Promise<TollgateMeasurements> {
  const { load, plan, report, profileFolder } = options;
  report('starting everything');
  const tollgate = await startTollgate(stops, common, { spans: 'sampled', profileFolder });
  const proxy = await startProxy(stops, common);
  const routes: Routes = { gateway: tollgate.route, proxy, upstream: common.upstreamRoute };
  const scenarios = WARM_SCENARIOS.filter(({ isLong }) => !isLong || plan.name === 'long');
  const measured = await measureGateway(routes, { started: JUST_STARTED, scenarios }, options);
  const otherKeys = [await measureColdKeys(tollgate, routes, options), await measureWrongKeys(routes, options)];

  const slowReading = await measureSlowReaders(tollgate.route, common, options);
  report(`from the end of a response to its charge, ${plan.lookupRounds} rounds`);
  const lookups: LookupRound[] = [];
  for (let round = 0; round < plan.lookupRounds; round += 1) {
    const rates = { ratePerSecond: halfLoadOf(measured.scenarios), lookupsPerSecond: LOOKUPS_PER_SECOND };
    lookups.push(
      await measureLookup(load, routes.gateway, SMALL_STREAM.spec, { ...rates, durationMs: plan.lookupMs, round }),
    );
  }
  let longestTurns: LongestTurns | undefined;
  if (plan.name === 'long') {
    report('turns of the event loop, with large bodies');
    longestTurns = await measureTurns(load, routes.gateway);
  }
  report(`charges through the ledger, ${plan.ledgerRounds} rounds`);
  const ledger = await measureLedger(ledgerOptions(tollgate, plan));
  const idleSince = performance.now();
  const { scenarios: restarted, firstRequests, spansPerRequest } = await measureOtherStarts(stops, common, options);
  const growth = await measureGrowth(stops, common, options);
  const installed = await describeInstalled(tollgate.stack.facts);
  report('memory a minute after all load');
  await delay(Math.max(0, plan.idleMs - (performance.now() - idleSince)));
  const memoryAfterLoad = memoryOf(routes.gateway.processes);
  const soak = plan.soakMs === 0 ? [] : await measureSoak(tollgate, routes, halfLoadOf(measured.scenarios), options);
  return {
    ...measured,
    scenarios: [...measured.scenarios, ...otherKeys, ...restarted],
    memoryAfterLoad,
    lookups,
    longestTurns,
    slowReading,
    firstRequests,
    growth,
    soak,
    spansPerRequest,
    ledger,
    installed,
    pids: tollgate.stack.facts.pids,
  };
}

/** Requests with a key each that the ingress has not seen. */
async function measureColdKeys(
  { stack, route }: Tollgate,
  routes: Routes,
  options: RunOptions,
): Promise<MeasuredScenario> {
  const { plan } = options;
  const keys = await createKeys(stack.facts.grpc, plan.coldKeys);
  const gateway = { ...route, route: { ...route.route, keys } };
  return measureScenario({ ...routes, gateway }, COLD_KEYS, {
    ...options,
    rounds: 1,
    requests: keys.length,
    warmUpMs: 0,
  });
}

/** Keys with a mistyped last character. */
function measureWrongKeys(routes: Routes, options: RunOptions): Promise<MeasuredScenario> {
  const { gateway } = routes;
  const keys = gateway.route.keys.map((key) => key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x'));
  const wrong = { ...gateway, route: { ...gateway.route, keys } };
  return measureScenario({ ...routes, gateway: wrong }, WRONG_KEYS, options);
}
