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

  /** Kills one like a crash. @returns a function that restarts it and resolves when it is ready */
  async kill(name: string): Promise<() => Promise<void>> {
    const over = this.#disturbances.begin(name, 'killed');
    // If only Postgres's main process is killed, its backends finish their work; in a crash of the machine they do not.
    const backends = name === POSTGRES ? childrenOf(this.#stack.facts.pids[POSTGRES]) : [];
    const dying = this.#stack.kill(name);
    for (const pid of backends) killPid(pid);
    await dying;
    return async () => {
      await this.#stack.restart(name);
      over();
    };
  }

  /** Kills and restarts one. @param downMs minimum downtime */
  async bounce(name: string, downMs: number): Promise<void> {
    const restart = await this.kill(name);
    await delay(downMs);
    await restart();
  }
}
