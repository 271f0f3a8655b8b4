import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { CHECKOUT } from '@tollgate/local';
import type { CallRecord } from '@tollgate/simulator/exchange/recorder';
import type { Cell } from '../cells.ts';
import type { BoundedRun } from './run-bounded.ts';

const FAILURES = join(CHECKOUT, '.cache/agents-test/failures');

/** Keeps what is known of a failed cell: what the agent printed, its home folder, and what the provider received. */
export function keepLogs(
  { agent, upstream, scenario }: Cell,
  found: { runs: readonly BoundedRun[]; calls: readonly CallRecord[]; home: string; error: unknown },
): void {
  const folder = join(FAILURES, [agent, upstream, scenario].join(' ').replaceAll(' ', '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'error.txt'), inspect(found.error, { depth: 6 }));
  for (const [index, run] of found.runs.entries()) {
    writeFileSync(join(folder, `run-${index + 1}.json`), JSON.stringify(run, null, 2));
  }
  for (const { body, ...call } of found.calls) {
    const text = { ...call, body: body === null ? null : (JSON.parse(body) as unknown) };
    writeFileSync(join(folder, `call-${call.sequence}.json`), JSON.stringify(text, null, 2));
  }
  cpSync(found.home, join(folder, 'home'), { recursive: true, verbatimSymlinks: true });
}
