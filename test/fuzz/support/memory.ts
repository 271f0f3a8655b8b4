import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** Memory of a process after garbage collection, in bytes. */
export interface Memory {
  heapUsed: number;
  external: number;
  rss: number;
}

/** Settings that make a process report its memory on SIGUSR2. */
export const REPORTING = `--import=${pathToFileURL(`${import.meta.dirname}/report-memory.ts`).href}`;

/** Reads the memory of a process that was started with `REPORTING`, from its output. */
export class MemoryReader {
  #waiting: ((memory: Memory) => void)[] = [];

  /** Receives each line of the process's output. */
  onLine(line: string): void {
    if (!line.includes('"memory in use"')) return;
    const memory = JSON.parse(line) as Memory;
    for (const resolve of this.#waiting.splice(0)) resolve(memory);
  }

  /** Repeats until the memory no longer falls, because several collections may be necessary. */
  async read(pid: number): Promise<Memory> {
    let last = await this.#readOnce(pid);
    for (let reads = 1; reads < MAX_READS; reads += 1) {
      const next = await this.#readOnce(pid);
      const fell = inUse(last) - inUse(next);
      last = next;
      if (fell < STILL_FALLING_BYTES) break;
    }
    return last;
  }

  async #readOnce(pid: number): Promise<Memory> {
    await delay(2_000);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      process.kill(pid, 'SIGUSR2');
    });
  }
}

const MAX_READS = 20;
const STILL_FALLING_BYTES = 1024 * 1024;

function inUse({ heapUsed, external }: Memory): number {
  return heapUsed + external;
}
