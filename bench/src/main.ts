import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureLedger } from './ledger/measure.ts';
import { ledgerOptions } from './ledger/options.ts';
import { describeMachine } from './machine/describe.ts';
import { describeStores } from './machine/stores.ts';
import { measureAll } from './measure/run.ts';
import { type Stops, setUp } from './parts/setup.ts';
import { choosePlan } from './plan.ts';
import { renderLedger, summariseLedger } from './report/ledger.ts';
import { summarise } from './report/results.ts';
import { renderTable } from './report/table.ts';

/**
 * Measures the gateway against a bare proxy and the upstream itself, and the ledger against plain inserts; prints
 * tables and writes results.json.
 *
 * LONG=1 measures longer. BENCH_ONLY=ledger measures only the ledger and prints it. BENCH_PROFILE=folder writes a CPU
 * profile of each service there, and no results, because profiling slows the services.
 */
const RESULTS = fileURLToPath(new URL('../results.json', import.meta.url));

if (![undefined, 'ledger'].includes(process.env['BENCH_ONLY'])) {
  process.stderr.write('BENCH_ONLY: the only part that can be measured alone is ledger.\n');
  process.exit(1);
}
if (process.platform !== 'linux') {
  process.stderr.write('The benchmark reads CPU time and memory from /proc, which only Linux has.\n');
  process.exit(1);
}

const report = (text: string) => process.stdout.write(`${text}\n`);
const profile = process.env['BENCH_PROFILE'];
const only = process.env['BENCH_ONLY'];
const stops: Stops = [];

async function stopAll(): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    const exit = () => process.exit(130);
    stopAll().then(exit, exit);
  });
}

try {
  const plan = choosePlan(process.env);
  report('starting everything');
  const setup = await setUp(stops, profile === undefined ? undefined : resolve(profile));
  const { database_url, redis_url } = setup.stack.facts;
  const machine = { ...describeMachine(), ...(await describeStores(database_url, redis_url)) };
  const paths = only === 'ledger' ? undefined : await measureAll(setup, plan, report);
  report(`charges through the ledger, ${plan.ledgerRounds} rounds`);
  const ledger = summariseLedger(await measureLedger(ledgerOptions(setup, plan)));
  if (paths !== undefined) {
    const results = summarise(plan, machine, paths, new Date());
    if (profile === undefined) writeFileSync(RESULTS, `${JSON.stringify({ ...results, ledger }, null, 2)}\n`);
    report(`\n${renderTable(results)}`);
  }
  report(`\n${renderLedger(ledger)}`);
} finally {
  await stopAll();
}
