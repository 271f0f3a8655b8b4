import { cpuOf, cpuOfTree } from '../machine/processes.ts';
import type { Metered } from './routes.ts';

/** CPU time of processes by name, in microseconds. */
export type CpuByName = Record<string, number>;

/** Measures the CPU time of processes since its creation. */
export class CpuMeter {
  readonly #processes: readonly Metered[];
  readonly #before: CpuByName;

  constructor(processes: readonly Metered[]) {
    this.#processes = processes;
    this.#before = read(processes);
  }

  taken(): CpuByName {
    const now = read(this.#processes);
    return Object.fromEntries(Object.entries(now).map(([name, value]) => [name, value - (this.#before[name] ?? 0)]));
  }
}

/** Total time of the counted processes. */
export function counted(processes: readonly Metered[], taken: CpuByName): number {
  return processes.reduce((sum, { name, counts }) => sum + (counts ? (taken[name] ?? 0) : 0), 0);
}

function read(processes: readonly Metered[]): CpuByName {
  return Object.fromEntries(
    processes.map(({ name, pid, withChildren }) => [name, withChildren === true ? cpuOfTree(pid) : cpuOf(pid)]),
  );
}
