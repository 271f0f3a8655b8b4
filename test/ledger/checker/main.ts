import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { CallHistory } from './calls/history.ts';
import { history as callHistory } from './calls/steps.ts';
import { readOptions } from './options.ts';
import { createDatabase } from './support/database.ts';
import { installImmediateFiles } from './support/immediate-files.ts';
import { TIMES } from './support/replica.ts';
import { closePools } from './support/spare-pools.ts';
import { type Counts, Violation } from './support/violation.ts';
import { VirtualTime } from './support/virtual-time.ts';
import { SystemHistory } from './system/history.ts';
import { history as systemHistory } from './system/steps.ts';

/** The end of the month around which histories take place. */
const MONTH_END_MS = Date.UTC(2026, 1, 1);

/** Histories between two checks of the time. */
const HISTORIES_AT_ONCE = 10;

/** Exit code for a violation; any other failure is one of the checker itself. */
const BROKEN = 3;

const options = readOptions(process.env);
const startedAt = process.hrtime.bigint();
const secondsSince = () => Number(process.hrtime.bigint() - startedAt) / 1e9;

const time = new VirtualTime(MONTH_END_MS);
time.install();
installImmediateFiles(() => time.nowMs);
const counts: Counts = { histories: 0, steps: 0, seen: new Map() };
const database = await createDatabase(options.databaseUrl, MONTH_END_MS, TIMES.CHARGE_MAX_AGE_MS);

const calls = fc.asyncProperty(callHistory, async (history) => {
  time.reset(MONTH_END_MS - history.beforeMonthEndMs);
  time.seed(0);
  await new CallHistory(database, time, counts).run(history);
});
const systemOf = (hazards: boolean) =>
  fc.asyncProperty(systemHistory(hazards), async (history) => {
    time.reset(MONTH_END_MS - history.beforeMonthEndMs);
    time.seed(history.chance);
    await SystemHistory.run(history, { database, time, counts, folder: tmpdir() });
  });
const system = systemOf(options.kind === 'hazards');

let left = options.histories;
for (let { seed } = options; left > 0 && secondsSince() < options.seconds; seed += 1) {
  const numRuns = Math.min(left, HISTORIES_AT_ONCE);
  left -= numRuns;
  const result = await fc.check<unknown>(options.kind === 'calls' ? calls : system, {
    seed,
    numRuns,
    endOnFailure: !options.shrinks,
    ...(options.path === undefined ? {} : { path: options.path }),
  });
  if (!result.failed) continue;
  const error = result.errorInstance;
  const what = error instanceof Error ? error.stack : String(error);
  const again = `HISTORIES=${options.kind} SEED=${seed} REPLAY=${result.counterexamplePath} make ledger-test`;
  process.stdout.write(`${fc.stringify(result.counterexample)}\n${what}\nTo repeat it: ${again}\n`);
  process.exitCode = error instanceof Violation ? BROKEN : 1;
  break;
}
await closePools();
await database.drop();
const seen = [...counts.seen].map(([what, times]) => `${what} ${times}`).join(', ');
process.stdout.write(
  `${options.kind}: ${counts.histories} histories of ${counts.steps} steps in ${secondsSince().toFixed(1)} s, ` +
    `from seed ${options.seed}\n${options.kind}: ${seen}\n`,
);
