import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessStat, parseProcessStat, ticksToMicroseconds } from './process-stat.ts';

const PROC = '/proc';

/** CPU time of a process so far, user and kernel, all threads. Microseconds. @throws Error if it has ended */
export function cpuOf(pid: number, proc = PROC): number {
  return ticksToMicroseconds(statOf(pid, proc).ownTicks);
}

/**
 * The same, to the nanosecond, for so little work that ticks of 10 ms are too coarse. Time of ended threads is missing, so
 * only for processes that keep theirs, such as a service. Microseconds. @throws Error if it has ended
 */
export function threadTimeOf(pid: number, proc = PROC): number {
  const tasks = `${proc}/${pid}/task`;
  const nanos = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanos.reduce((sum, value) => sum + value, 0) / 1_000;
}

/**
 * CPU time of a process and all its descendants, including ended ones, such as a database server with one process per
 * connection. Microseconds. @throws Error if it has ended
 */
export function cpuOfTree(root: number, proc = PROC): number {
  const children = childrenByParent(proc);
  let ticks = 0;
  const pids = [root];
  for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
    const stat = pid === root ? statOf(pid, proc) : (statIfThere(pid, proc) ?? { ownTicks: 0, endedChildrenTicks: 0 });
    ticks += stat.ownTicks + stat.endedChildrenTicks;
    pids.push(...(children.get(pid) ?? []));
  }
  return ticksToMicroseconds(ticks);
}

/** Resident memory of a process. Bytes. @throws Error if it has ended */
export function residentBytesOf(pid: number, proc = PROC): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`${proc}/${pid}/status`, 'utf8'));
  if (match === null) throw new Error(`${proc}/${pid}/status has no VmRSS`);
  return Number(match[1]) * 1024;
}

function statOf(pid: number, proc: string): ProcessStat {
  return parseProcessStat(readFileSync(`${proc}/${pid}/stat`, 'utf8'));
}

function statIfThere(pid: number, proc: string): ProcessStat | undefined {
  try {
    return statOf(pid, proc);
  } catch {
    // It ended after it was listed; its time now counts for its parent.
    return undefined;
  }
}

function childrenByParent(proc: string): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync(proc)) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    const parent = statIfThere(pid, proc)?.parentPid;
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  return children;
}
