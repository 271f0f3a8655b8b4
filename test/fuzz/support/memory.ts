import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** Of a process whose garbage has been collected, in bytes. */
export interface Memory {
  heapUsed: number;
  external: number;
  rss: number;
}

/** Makes a process report its memory when it gets SIGUSR2. */
export const REPORTING = `--import=${pathToFileURL(`${import.meta.dirname}/report-memory.ts`).href}`;

/** Reads the memory of a process that was started with `REPORTING`, from what it prints. */
export class MemoryReader {
  #waiting: ((memory: Memory) => void)[] = [];

  /** To be given each line that the process prints. */
  onLine(line: string): void {
    if (!line.includes('"memory in use"')) return;
    const memory = JSON.parse(line) as Memory;
    for (const resolve of this.#waiting.splice(0)) resolve(memory);
  }

  async read(pid: number): Promise<Memory> {
    // What the last requests left behind is let go of within moments, such as timers and sockets.
    await delay(1_000);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      process.kill(pid, 'SIGUSR2');
    });
  }
}
