import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@tollgate/local';
import type { KillRound, RoundKind, Victim } from './kill-plan.ts';

/** Log message of an ingress that replays its journal. */
const REPLAY_LINE = 'settling journal records again';

export interface KillerOptions {
  stack: Stack;
  ingresses: readonly string[];
  ledgers: readonly string[];
  /** Last start of a round once enough processes were killed, in milliseconds of this process's clock. */
  until: number;
  /** How many deaths are enough. */
  minDeaths: number;
}

/** One process that was killed. */
export interface Death {
  name: string;
  at: number;
  kind: RoundKind;
}

/** Kills processes according to a plan, and restarts them. */
export class Killer {
  readonly deaths: Death[] = [];
  /** Number of observed journal replays. */
  replays = 0;
  readonly #options: KillerOptions;
  readonly #awaited = new Map<string, () => void>();

  constructor(options: KillerOptions) {
    this.#options = options;
  }

  /** Called with every line of the processes' output. */
  onLine(service: string, line: string): void {
    if (!line.includes(REPLAY_LINE)) return;
    this.replays += 1;
    this.#awaited.get(service)?.();
  }

  /** Resolves when everything runs again. */
  async run(rounds: readonly KillRound[]): Promise<void> {
    for (const round of rounds) {
      await delay(round.pauseMs);
      const { until, minDeaths } = this.#options;
      if (performance.now() > until && this.deaths.length >= minDeaths) return;
      await this.#runRound(round);
    }
  }

  /** Whether a process ran from one moment to another. */
  lived(name: string, from: number, to: number): boolean {
    return !this.deaths.some((death) => death.name === name && death.at >= from && death.at <= to);
  }

  async #runRound(round: KillRound): Promise<void> {
    const killed = new Set<string>();
    for (const { victim, afterMs } of round.kills) {
      if (afterMs > 0) await delay(afterMs);
      const name = this.#nameOf(victim);
      killed.add(name);
      // Not awaited, so that two die at the same moment.
      this.#kill(name, round.kind);
    }
    await Promise.all([...this.#dying]);
    await delay(round.downMs);
    const has = (names: readonly string[]) => names.filter((name) => killed.has(name));
    const { stack, ingresses, ledgers } = this.#options;
    await this.#restartAll(has(['postgres']));
    const [replaying, ...others] = has(ingresses);
    if (round.duringReplay === undefined || replaying === undefined) {
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
    // With an empty journal there is no replay: then it is killed once it serves.
    await Promise.race([replay, ready]);
    if (round.duringReplay === 'ingress') {
      await this.#killStarting(replaying, round.kind, ready);
      await this.#restartAll([replaying]);
      return;
    }
    const target = this.#nameOf(round.duringReplay === 'ledger' ? { part: 'ledger', number: 0 } : { part: 'postgres' });
    this.#kill(target, round.kind);
    await Promise.all([...this.#dying]);
    await this.#restartAll([target]);
    await started;
  }

  readonly #dying = new Set<Promise<void>>();

  #kill(name: string, kind: RoundKind): void {
    const { stack } = this.#options;
    const backends = name === 'postgres' ? childrenOf(stack.facts.pids['postgres']) : [];
    this.deaths.push({ name, at: performance.now(), kind });
    const dying = stack.kill(name);
    // Without its main process, a database lets the others finish, unlike a machine crash.
    for (const pid of backends) killPid(pid);
    this.#dying.add(dying);
    dying.then(
      () => this.#dying.delete(dying),
      () => undefined,
    );
  }

  /** Kills an ingress that may not be ready yet. */
  async #killStarting(name: string, kind: RoundKind, ready: Promise<boolean>): Promise<void> {
    const { stack } = this.#options;
    const known = new Set(Object.values(stack.facts.pids));
    const starting = childrenOf(process.pid, 'services/ingress/src/main.ts').filter((pid) => !known.has(pid));
    this.deaths.push({ name, at: performance.now(), kind });
    for (const pid of starting) killPid(pid);
    // The start was not aborted: the stack's own process is killed.
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

/** Process ids of a process's children, optionally those whose command line contains a text. */
export function childrenOf(pid: number | undefined, command?: string): number[] {
  if (pid === undefined) return [];
  try {
    const filter = command === undefined ? [] : ['-f', command];
    const found = execFileSync('pgrep', ['-P', String(pid), ...filter], { encoding: 'utf8' });
    return found.split('\n').filter(Boolean).map(Number);
  } catch {
    // pgrep exits with 1 if there is none.
    return [];
  }
}

export function killPid(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
