import type { Load } from '../parts/load.ts';
import type { Plan } from '../plan.ts';
import { type Scenario, SMALL_STREAM } from '../scenarios.ts';
import { median } from '../stats/quantile.ts';
import { measureRound, type Round } from './round.ts';
import type { RouteName, Routes } from './routes.ts';

/** A scenario's rounds by route; at most one of the upstream. */
export interface MeasuredScenario {
  scenario: Scenario;
  rounds: Record<RouteName, Round[]>;
}

export interface RunOptions {
  load: Load;
  plan: Plan;
  /** Receives progress messages. */
  report: (text: string) => void;
}

export interface ScenarioOptions extends RunOptions {
  /** The rate of scenarios at half load. */
  halfLoad?: number;
  /** Instead of the plan's. */
  rounds?: number;
  durationMs?: number;
  /** Instead of a short load, because the JIT recompiles code when the kind of request changes. */
  warmUpMs?: number;
  /** The requests of a round on the gateway. */
  requests?: number;
}

/**
 * Measures a scenario on warm routes, in rounds in which gateway and proxy alternate, so that disturbances of the machine affect
 * both alike. The upstream is measured once, as nothing is compared with it.
 */
export async function measureScenario(
  routes: Routes,
  scenario: Scenario,
  { load, plan, report, halfLoad = 0, requests, ...options }: ScenarioOptions,
): Promise<MeasuredScenario> {
  const isOfEvents = scenario.per === 'event';
  const isMinor = isOfEvents || Object.keys(scenario.budgets).length === 0;
  const rounds = options.rounds ?? (isMinor ? plan.minorRounds : plan.rounds);
  const durationMs = options.durationMs ?? (isOfEvents ? plan.pairMs : plan.roundMs);
  const warmUpMs = options.warmUpMs ?? plan.pairMs;
  report(`${scenario.title}, rounds: ${rounds}`);
  const measured: MeasuredScenario = { scenario, rounds: { gateway: [], proxy: [], upstream: [] } };
  if (warmUpMs > 0)
    await measureRound(load, routes.gateway, scenario, { durationMs: warmUpMs, round: rounds, halfLoad });
  for (let round = 0; round < rounds; round += 1) {
    const compared = [routes.gateway, routes.proxy];
    if (scenario.isTimed && round === 0) compared.push(routes.upstream);
    for (const route of compared) {
      const limit = route.name === 'gateway' && requests !== undefined ? { requests } : {};
      measured.rounds[route.name].push(
        await measureRound(load, route, scenario, { durationMs, round, halfLoad, ...limit }),
      );
    }
  }
  return measured;
}

/** Measures one round of a scenario on a gateway and a proxy that have just started. */
export function measureStarted(routes: Routes, scenario: Scenario, options: RunOptions): Promise<MeasuredScenario> {
  return measureScenario(routes, scenario, { ...options, rounds: 1, durationMs: options.plan.startedMs, warmUpMs: 0 });
}

/** Half the rate that the gateway reached with short streams; 0 before they are measured. */
export function halfLoadOf(measured: readonly MeasuredScenario[]): number {
  const stream = measured.find(({ scenario }) => scenario.id === SMALL_STREAM.id);
  return stream === undefined ? 0 : median(stream.rounds.gateway.map(({ perSecond }) => perSecond)) / 2;
}
