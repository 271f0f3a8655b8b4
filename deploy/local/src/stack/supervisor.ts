import type { Child, ChildExit } from '../processes/child.ts';
import type { Death } from './types.ts';

/** One process of the stack: how to start it, and how long it may take to stop. */
export interface Part {
  name: string;
  /** Starts it and resolves when it is ready. */
  launch: () => Promise<Child>;
  stopGraceMs: number;
}

/** Supervises the processes of a stack and notices when one ends unexpectedly. */
export class Supervisor {
  readonly died: Promise<Death>;
  readonly #parts = new Map<string, { part: Part; child: Child }>();
  /** Processes that are being stopped. */
  readonly #expected = new WeakSet<Child>();
  #reportDeath: (death: Death) => void = () => undefined;

  constructor() {
    this.died = new Promise((resolve) => {
      this.#reportDeath = resolve;
    });
  }

  async start(part: Part): Promise<void> {
    const child = await part.launch();
    this.#parts.set(part.name, { part, child });
    child.ended.then(
      (exit) => {
        if (this.#expected.has(child)) return;
        this.#reportDeath({ service: part.name, how: describeExit(exit), lastLines: child.lastLines() });
      },
      () => undefined,
    );
  }

  pids(): Record<string, number> {
    return Object.fromEntries([...this.#parts].map(([name, { child }]) => [name, child.pid]));
  }

  /** Stops these concurrently; skips those that never started. */
  async stop(names: string[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const entry = this.#parts.get(name);
        if (entry === undefined) return;
        this.#expected.add(entry.child);
        await entry.child.stop(entry.part.stopGraceMs);
      }),
    );
  }

  async kill(name: string): Promise<void> {
    const { child } = this.#get(name);
    this.#expected.add(child);
    child.kill('SIGKILL');
    await child.ended;
  }

  async restart(name: string): Promise<void> {
    const { part } = this.#get(name);
    await this.stop([name]);
    await this.start(part);
  }

  /** Kills all running processes at once. */
  abandon(): void {
    for (const { child } of this.#parts.values()) {
      this.#expected.add(child);
      child.kill('SIGKILL');
    }
  }

  #get(name: string): { part: Part; child: Child } {
    const entry = this.#parts.get(name);
    if (entry !== undefined) return entry;
    throw new Error(`the stack has no process "${name}"; it has ${[...this.#parts.keys()].join(', ')}`);
  }
}

function describeExit(exit: ChildExit): string {
  return exit.signal === null ? `exited with status ${exit.code ?? 'unknown'}` : `was ended by ${exit.signal}`;
}
