import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@tollgate/common/errors';
import { describeMachine, requireOpenFiles } from './machine/describe.ts';
import { measureGateway } from './measure/gateway.ts';
import { measureTollgate } from './measure/tollgate.ts';
import { choosePart, measurePart } from './measure-part.ts';
import { startCommon, startProxy } from './parts/common.ts';
import { type OtherGateway, otherGateway } from './parts/other-gateway.ts';
import { type Stops, stopFrom } from './parts/stops.ts';
import { choosePlan, type Plan } from './plan.ts';
import { renderProfiles } from './report/profiles.ts';
import { summarise, summariseTollgate } from './report/results.ts';
import { renderTable, renderTollgate } from './report/table.ts';
import { JUST_STARTED, scenariosOfOthers, withModel } from './scenarios.ts';

/**
 * Measures Tollgate against a bare proxy and the upstream itself, and its ledger against plain inserts; prints tables and
 * writes results.json.
 *
 * LONG=1 measures longer, and more. GATEWAY and GATEWAY_KEY measure another gateway instead. BENCH_ONLY measures one part and
 * writes no results. BENCH_PROFILE=folder writes a CPU profile of each service there and prints where its time went, but writes
 * no results, because profiling slows the services.
 */
const RESULTS = fileURLToPath(new URL('../results.json', import.meta.url));

const report = (text: string) => process.stderr.write(`${text}\n`);
const print = (text: string) => process.stdout.write(`\n${text}\n`);
const stops: Stops = [];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    const exit = () => process.exit(130);
    stopFrom(stops, 0).then(exit, exit);
  });
}

async function measureOwn(plan: Plan): Promise<void> {
  const profile = process.env['BENCH_PROFILE'];
  const profileFolder = profile === undefined ? undefined : resolve(profile);
  const common = await startCommon(stops, 0);
  const measured = await measureTollgate(stops, common, { load: common.load, plan, report, profileFolder });
  const machine = { ...describeMachine(), ...measured.installed };
  const results = summariseTollgate(plan, machine, measured, new Date());
  if (profileFolder === undefined) writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  print(renderTollgate(results));
  if (profileFolder === undefined) return;
  await stopFrom(stops, 0);
  print(renderProfiles(profileFolder, measured.pids));
}

async function measureOther({ route: gateway, model, upstreamPort }: OtherGateway, plan: Plan): Promise<void> {
  const common = await startCommon(stops, upstreamPort);
  report(`the upstream, with OpenAI's chat completions: ${common.upstream.origin}/v1`);
  const routes = { gateway, proxy: await startProxy(stops, common), upstream: common.upstreamRoute };
  const started = withModel(JUST_STARTED, model);
  const scenarios = scenariosOfOthers(model);
  const measured = await measureGateway(routes, { started, scenarios }, { load: common.load, plan, report });
  print(renderTable(summarise(plan, describeMachine(), measured, new Date())));
}

async function measure(): Promise<void> {
  if (process.platform !== 'linux') throw new Error('CPU time and memory are read from /proc, which only Linux has');
  const plan = choosePlan(process.env);
  const part = choosePart(process.env, plan);
  requireOpenFiles(Math.max(plan.openStreams, plan.quietStreams));
  const other = otherGateway(process.env);
  if (other !== undefined) await measureOther(other, plan);
  else if (part !== undefined) print(await measurePart(part, stops, { plan, report }));
  else await measureOwn(plan);
}

try {
  await measure();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  await stopFrom(stops, 0);
}
