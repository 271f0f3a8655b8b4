import type { Machine } from '../machine/describe.ts';
import type { Installed } from '../machine/installed.ts';
import type { GatewayMeasurements } from '../measure/gateway.ts';
import type { TollgateMeasurements } from '../measure/tollgate.ts';
import type { Plan } from '../plan.ts';
import { cpuByProcess, type Figure, isWithin, memoryFigures, scenarioFigures } from './figures.ts';
import { type FirstRequestsFigure, summariseFirstRequests } from './first-requests.ts';
import { type GrowthFigure, summariseGrowth } from './growth.ts';
import { type LedgerResults, summariseLedger } from './ledger.ts';
import { type SoakFigure, summariseSoak } from './soak.ts';

/** What is measured of every gateway. */
export interface Results {
  measured_at: string;
  mode: Plan['name'];
  machine: Machine & Partial<Installed>;
  figures: (Figure & { within_budget: boolean | null })[];
  /** CPU microseconds per request or event, by scenario and process; figures exclude Postgres, Redis and the upstream. */
  cpu_by_process: Record<string, Record<string, number>>;
  rounds: Record<string, GatewayMeasurements['scenarios'][number]['rounds']>;
}

/** Contents of `bench/results.json`. */
export interface TollgateResults extends Results {
  first_requests: FirstRequestsFigure[];
  growth: GrowthFigure[];
  /** Over an hour of constant load; empty without LONG=1. */
  soak: SoakFigure[];
  ledger: LedgerResults;
}

export function summarise(
  plan: Plan,
  machine: Machine & Partial<Installed>,
  measured: GatewayMeasurements & Pick<Partial<TollgateMeasurements>, 'memoryAfterLoad'>,
  now: Date,
): Results {
  const figures = [
    ...measured.scenarios.flatMap(scenarioFigures),
    ...memoryFigures(measured, measured.memoryAfterLoad),
  ];
  return {
    measured_at: now.toISOString(),
    mode: plan.name,
    machine,
    figures: figures.map((figure) => ({ ...figure, within_budget: isWithin(figure) ?? null })),
    cpu_by_process: Object.fromEntries(measured.scenarios.map((one) => [one.scenario.id, cpuByProcess(one)])),
    rounds: Object.fromEntries(measured.scenarios.map(({ scenario, rounds }) => [scenario.id, rounds])),
  };
}

export function summariseTollgate(
  plan: Plan,
  machine: Machine & Installed,
  measured: TollgateMeasurements,
  now: Date,
): TollgateResults {
  const results = summarise(plan, machine, measured, now);
  return {
    ...results,
    first_requests: summariseFirstRequests(measured.firstRequests),
    growth: summariseGrowth(measured.growth),
    soak: measured.soak.length === 0 ? [] : summariseSoak(measured.soak),
    ledger: summariseLedger(measured.ledger),
  };
}
