import { readFileSync, writeFileSync } from 'node:fs';
import type { Gateway } from './gateway.ts';

/** Current memory of the only ingress in bytes, and its peak since `resetPeak`. */
export function memoryOf(gateway: Gateway): { now: number; peak: number } {
  const status = readFileSync(`/proc/${ingressPid(gateway)}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

export function resetPeak(gateway: Gateway): void {
  writeFileSync(`/proc/${ingressPid(gateway)}/clear_refs`, '5');
}

function ingressPid({ stack }: Gateway): number {
  const { pids } = stack.facts;
  const pid = pids['ingress-1'] ?? pids['ingress'];
  if (pid === undefined) throw new Error(`there is no ingress among ${Object.keys(pids).join()}`);
  return pid;
}
