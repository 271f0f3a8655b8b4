import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@tollgate/local';
import type { Strike, StrikeKind, Victim } from './kill-plan.ts';

/** What an ingress logs when it has read its journal and settles it once more. */
const REPLAY_LINE = 'settling journal records again';

export interface KillerOptions {
  stack: Stack;
  ingresses: readonly string[];
  ledgers: readonly string[];
  /** No strike begins after this; Infinity for none. Milliseconds of this process's clock. */
  until: number;
}

/** One process that was killed. */
export interface Death {
  name: string;
  at: number;
  kind: StrikeKind;
}

/** Kills processes by plan, and starts them again. */
export class Killer {
  readonly deaths: Death[] = [];
  /** How often an ingress was seen to begin settling its journal again. */
  replays = 0;
  readonly #options: KillerOptions;
  readonly #awaited = new Map<string, () => void>();

  constructor(options: KillerOptions) {
    this.#options = options;
  }

  /** Called with every line the processes print. */
  onLine(service: string, line: string): void {
    if (!line.includes(REPLAY_LINE)) return;
    this.replays += 1;
    this.#awaited.get(service)?.();
  }

  /** Resolves with everything running again. */
  async run(strikes: readonly Strike[]): Promise<void> {
    for (const strike of strikes) {
      await delay(strike.pauseMs);
      if (performance.now() > this.#options.until) return;
      await this.#strike(strike);
    }
  }

  /** Whether a process lived from one moment to another. */
  lived(name: string, from: number, to: number): boolean {
    return !this.deaths.some((death) => death.name === name && death.at >= from && death.at <= to);
  }

  async #strike(strike: Strike): Promise<void> {
    const killed = new Set<string>();
    for (const { victim, afterMs } of strike.blows) {
      if (afterMs > 0) await delay(afterMs);
      const name = this.#nameOf(victim);
      killed.add(name);
      // Not waited for, so that two die at the same moment.
      this.#kill(name, strike.kind);
    }
    await Promise.all([...this.#dying]);
    await delay(strike.downMs);
    const has = (names: readonly string[]) => names.filter((name) => killed.has(name));
    const { stack, ingresses, ledgers } = this.#options;
    await this.#restartAll(has(['postgres']));
    const [replaying, ...others] = has(ingresses);
    if (strike.duringReplay === undefined || replaying === undefined) {
      await this.#restartAll([...has(ledgers), ...has(ingresses)]);
      return;
    }
    await this.#restartAll([...has(ledgers), ...others]);
    const replay = this.#nextReplay(replaying);
    const started = stack.restart(replaying);
    const ready = started.then(
      () => true,
      () => false,
    );
    // Where its journal was empty there is no replay: then it is hit as soon as it serves.
    await Promise.race([replay, ready]);
    if (strike.duringReplay === 'ingress') {
      await this.#killStarting(replaying, strike.kind, ready);
      await this.#restartAll([replaying]);
      return;
    }
    const target = this.#nameOf(
      strike.duringReplay === 'ledger' ? { part: 'ledger', number: 0 } : { part: 'postgres' },
    );
    this.#kill(target, strike.kind);
    await Promise.all([...this.#dying]);
    await this.#restartAll([target]);
    await started;
  }

  readonly #dying = new Set<Promise<void>>();

  #kill(name: string, kind: StrikeKind): void {
    const { stack } = this.#options;
    const backends = name === 'postgres' ? childrenOf(stack.facts.pids['postgres']) : [];
    this.deaths.push({ name, at: performance.now(), kind });
    const dying = stack.kill(name);
    // A database whose first process is gone lets the others finish what they do; a crash of the machine does not.
    for (const pid of backends) killPid(pid);
    this.#dying.add(dying);
    dying.then(
      () => this.#dying.delete(dying),
      () => undefined,
    );
  }

  /** Kills an ingress that may not be ready yet. */
  async #killStarting(name: string, kind: StrikeKind, ready: Promise<boolean>): Promise<void> {
    const { stack } = this.#options;
    const known = new Set(Object.values(stack.facts.pids));
    const starting = childrenOf(process.pid, 'services/ingress/src/main.ts').filter((pid) => !known.has(pid));
    this.deaths.push({ name, at: performance.now(), kind });
    for (const pid of starting) killPid(pid);
    // A start that was not aborted is over: the process is the stack's, and dies by its hand.
    if (await ready) await stack.kill(name);
  }

  async #restartAll(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#options.stack.restart(name)));
  }

  #nextReplay(name: string): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.set(name, () => {
        this.#awaited.delete(name);
        resolve();
      });
    });
  }

  #nameOf(victim: Victim): string {
    if (victim.part === 'postgres') return 'postgres';
    const names = victim.part === 'ingress' ? this.#options.ingresses : this.#options.ledgers;
    const name = names[victim.number];
    if (name === undefined) throw new Error(`there is no ${victim.part} ${victim.number}`);
    return name;
  }
}

/** Process ids of a process's children, those whose command line holds a text where one is given. */
export function childrenOf(pid: number | undefined, command?: string): number[] {
  if (pid === undefined) return [];
  try {
    const filter = command === undefined ? [] : ['-f', command];
    const found = execFileSync('pgrep', ['-P', String(pid), ...filter], { encoding: 'utf8' });
    return found.split('\n').filter(Boolean).map(Number);
  } catch {
    // pgrep reports by its status that there is not one.
    return [];
  }
}

export function killPid(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
