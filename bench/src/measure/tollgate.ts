import { setTimeout as delay } from 'node:timers/promises';
import { type GrowthPoint, measureGrowth } from '../growth/measure.ts';
import { type LedgerMeasurements, measureLedger } from '../ledger/measure.ts';
import { ledgerOptions } from '../ledger/options.ts';
import { describeInstalled, type Installed } from '../machine/installed.ts';
import { createKeys } from '../parts/accounts.ts';
import { type Common, startProxy } from '../parts/common.ts';
import type { Stops } from '../parts/stops.ts';
import { startTollgate, type Tollgate } from '../parts/tollgate.ts';
import { COLD_KEYS, JUST_STARTED, WARM_SCENARIOS, WRONG_KEYS } from '../scenarios.ts';
import { measureCapped } from './capped.ts';
import type { FirstRequests } from './first-requests.ts';
import { type GatewayMeasurements, measureGateway } from './gateway.ts';
import { type MemoryByName, memoryOf } from './memory.ts';
import { measureOtherStarts } from './other-starts.ts';
import type { Routes } from './routes.ts';
import { halfLoadOf, type MeasuredScenario, measureScenario, type RunOptions } from './run.ts';
import { measureSoak, type SoakBucket } from './soak.ts';

/** All measurements of Tollgate: also those that only it has. */
export interface TollgateMeasurements extends GatewayMeasurements {
  /** A minute after all load. */
  memoryAfterLoad: MemoryByName;
  firstRequests: FirstRequests[];
  growth: GrowthPoint[];
  /** Over an hour; empty without LONG=1. */
  soak: SoakBucket[];
  ledger: LedgerMeasurements;
  installed: Installed;
  /** Process ids of the services by name. */
  pids: Readonly<Record<string, number>>;
}

/** Measures everything of Tollgate, with 10 % of the spans exported. */
export async function measureTollgate(
  stops: Stops,
  common: Common,
  options: RunOptions & { profileFolder: string | undefined },
): Promise<TollgateMeasurements> {
  const { plan, report, profileFolder } = options;
  report('starting everything');
  const tollgate = await startTollgate(stops, common, { spans: 'sampled', profileFolder });
  const proxy = await startProxy(stops, common);
  const routes: Routes = { gateway: tollgate.route, proxy, upstream: common.upstreamRoute };
  const scenarios = WARM_SCENARIOS.filter(({ isLong }) => !isLong || plan.name === 'long');
  const measured = await measureGateway(routes, { started: JUST_STARTED, scenarios }, options);
  const otherKeys = [
    await measureCapped(tollgate, routes, options),
    await measureColdKeys(tollgate, routes, options),
    await measureWrongKeys(routes, options),
  ];

  report(`charges through the ledger, ${plan.ledgerRounds} rounds`);
  const ledger = await measureLedger(ledgerOptions(tollgate, plan));
  const idleSince = performance.now();
  const { lowRate, firstRequests } = await measureOtherStarts(stops, common, options);
  const growth = await measureGrowth(stops, common, options);
  const installed = await describeInstalled(tollgate.stack.facts);
  report('memory a minute after all load');
  await delay(Math.max(0, plan.idleMs - (performance.now() - idleSince)));
  const memoryAfterLoad = memoryOf(routes.gateway.processes);
  const soak = plan.soakMs === 0 ? [] : await measureSoak(tollgate, routes, halfLoadOf(measured.scenarios), options);
  return {
    ...measured,
    scenarios: [...measured.scenarios, ...otherKeys, lowRate],
    memoryAfterLoad,
    firstRequests,
    growth,
    soak,
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
