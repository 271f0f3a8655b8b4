import { measureGrowth } from './growth/measure.ts';
import { measureLedger } from './ledger/measure.ts';
import { ledgerOptions } from './ledger/options.ts';
import { describeMachine } from './machine/describe.ts';
import { measureCapped } from './measure/capped.ts';
import { measureAllStreams, measureIdleMemory } from './measure/gateway.ts';
import { halfLoadOf, measureScenario, type RunOptions } from './measure/run.ts';
import { measureSoak } from './measure/soak.ts';
import { withTollgate } from './measure/with-tollgate.ts';
import { type Common, startCommon } from './parts/common.ts';
import type { Stops } from './parts/stops.ts';
import { startTollgate } from './parts/tollgate.ts';
import type { Plan } from './plan.ts';
import { summariseGrowth } from './report/growth.ts';
import { renderLedger, summariseLedger } from './report/ledger.ts';
import { summarise } from './report/results.ts';
import { renderGrowth, renderSoak } from './report/sections.ts';
import { summariseSoak } from './report/soak.ts';
import { renderTable } from './report/table.ts';
import { SMALL_STREAM } from './scenarios.ts';

const PARTS = ['ledger', 'caps', 'growth', 'streams', 'soak'] as const;

/** A part of the benchmark that can be measured alone. */
export type Part = (typeof PARTS)[number];

/** The part that `BENCH_ONLY` names; undefined for all. @throws Error for another name, or one that needs LONG=1 */
export function choosePart(env: NodeJS.ProcessEnv, plan: Plan): Part | undefined {
  const name = env['BENCH_ONLY'];
  if (name === undefined) return undefined;
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`BENCH_ONLY: '${name}' is not one of ${PARTS.join(', ')}`);
  if (part === 'soak' && plan.soakMs === 0) throw new Error('BENCH_ONLY=soak takes an hour: it needs LONG=1');
  return part;
}

/** Measures one part on a Tollgate of its own. @returns Markdown */
export async function measurePart(
  part: Part,
  stops: Stops,
  options: Pick<RunOptions, 'plan' | 'report'>,
): Promise<string> {
  const common = await startCommon(stops, 0);
  const run = { ...options, load: common.load };
  switch (part) {
    case 'ledger':
      return ledgerAlone(stops, common, run);
    case 'caps':
      return capsAlone(stops, common, run);
    case 'growth':
      return renderGrowth(summariseGrowth(await measureGrowth(stops, common, run))).join('\n');
    case 'streams':
      return streamsAlone(stops, common, run);
    case 'soak':
      return soakAlone(stops, common, run);
    default:
      return part satisfies never;
  }
}

async function ledgerAlone(stops: Stops, common: Common, { plan }: RunOptions): Promise<string> {
  const tollgate = await startTollgate(stops, common, { spans: 'none' });
  return renderLedger(summariseLedger(await measureLedger(ledgerOptions(tollgate, plan))));
}

function capsAlone(stops: Stops, common: Common, run: RunOptions): Promise<string> {
  return withTollgate(stops, common, { spans: 'sampled' }, async (tollgate, routes) => {
    const memoryIdle = await measureIdleMemory(routes);
    const scenarios = [await measureCapped(tollgate, routes, run)];
    return renderTable(summarise(run.plan, describeMachine(), { scenarios, memoryIdle, openStreams: [] }, new Date()));
  });
}

function streamsAlone(stops: Stops, common: Common, run: RunOptions): Promise<string> {
  return withTollgate(stops, common, { spans: 'sampled' }, async (_tollgate, routes) => {
    const memoryIdle = await measureIdleMemory(routes);
    const openStreams = await measureAllStreams(routes, run);
    return renderTable(summarise(run.plan, describeMachine(), { scenarios: [], memoryIdle, openStreams }, new Date()));
  });
}

function soakAlone(stops: Stops, common: Common, run: RunOptions): Promise<string> {
  return withTollgate(stops, common, { spans: 'sampled' }, async (tollgate, routes) => {
    const streams = await measureScenario(routes, SMALL_STREAM, { ...run, warmUpMs: run.plan.warmUpMs });
    const ratePerSecond = halfLoadOf([streams]);
    return renderSoak(summariseSoak(await measureSoak(tollgate, routes, ratePerSecond, run))).join('\n');
  });
}
