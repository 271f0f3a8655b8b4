import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@tollgate/local';
import { childrenOf, killPid } from '@tollgate/test-support/load/killer';
import type { Disturbances } from './disturbances.ts';

const POSTGRES = 'postgres';

/** Kills processes of the stack, and starts them again at the same address. */
export class Processes {
  readonly #stack: Pick<Stack, 'kill' | 'restart' | 'facts'>;
  readonly #disturbances: Disturbances;

  constructor(stack: Pick<Stack, 'kill' | 'restart' | 'facts'>, disturbances: Disturbances) {
    this.#stack = stack;
    this.#disturbances = disturbances;
  }

  /** Kills one as a crash does. @returns what starts it again, and resolves when it is ready */
  async kill(name: string): Promise<() => Promise<void>> {
    const over = this.#disturbances.begin(name, 'killed');
    // A database whose first process is gone lets the others finish what they do; a crash of the machine does not.
    const backends = name === POSTGRES ? childrenOf(this.#stack.facts.pids[POSTGRES]) : [];
    const dying = this.#stack.kill(name);
    for (const pid of backends) killPid(pid);
    await dying;
    return async () => {
      await this.#stack.restart(name);
      over();
    };
  }

  /** Kills one and starts it again. @param downMs how long it is away at least */
  async bounce(name: string, downMs: number): Promise<void> {
    const restart = await this.kill(name);
    await delay(downMs);
    await restart();
  }
}
