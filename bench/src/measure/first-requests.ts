import { setTimeout as delay } from 'node:timers/promises';
import { threadTimeOf } from '../machine/processes.ts';
import type { Tollgate } from '../parts/tollgate.ts';
import { SMALL_CHAT } from '../scenarios.ts';
import type { RunOptions } from './run.ts';

/** Where the parts of the first requests end. By the last one, the ingress is warm. */
const ENDS = [50, 150, 1_000, 10_000, 20_000] as const;
/** Requests that are measured at each start; those after them only at the first one. */
const AT_EACH_START = 1_000;
/** Less than in other scenarios: the first requests are not all in progress at once. */
const CONCURRENCY = 8;
/** Far longer than they take. */
const LIMIT_MS = 60_000;
/** For what a request leaves behind, such as code that is being compiled. */
const SETTLE_MS = 200;

/** A part of the first requests of an ingress that has just started. */
export interface FirstRequests {
  from: number;
  to: number;
  /** CPU microseconds per request of the ingress, by start. */
  cpu: number[];
}

/** Restarts the ingress of a Tollgate and measures its first requests, several times. */
export async function measureFirstRequests(
  { stack, route }: Tollgate,
  { load, plan, report }: RunOptions,
): Promise<FirstRequests[]> {
  report(`the first requests of an ingress, starts: ${plan.freshStarts}`);
  const parts = ENDS.map((to, index): FirstRequests => ({ from: (ENDS[index - 1] ?? 0) + 1, to, cpu: [] }));
  for (let start = 0; start < plan.freshStarts; start += 1) {
    await stack.restart('ingress');
    const pid = stack.facts.pids['ingress'];
    if (pid === undefined) throw new Error('the stack has no process id of the ingress');
    for (const { from, to, cpu } of start === 0 ? parts : parts.filter((part) => part.to <= AT_EACH_START)) {
      const before = threadTimeOf(pid);
      const requests = to - from + 1;
      const command = { kind: 'closed', concurrency: CONCURRENCY, durationMs: LIMIT_MS } as const;
      await load.run({ ...command, route: route.route, spec: SMALL_CHAT.spec, requests });
      await delay(SETTLE_MS);
      cpu.push((threadTimeOf(pid) - before) / requests);
    }
  }
  return parts;
}
