import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Queryable } from '@tollgate/common/postgres/pool';

/** How long a query may take until it is asked whether it waits for a lock. In real time, unlike all else here. */
const LOCK_POLL_MS = 5;

const realTimeout = globalThis.setTimeout;
const realClear = globalThis.clearTimeout;

/** One thing asked of Postgres: a connection, or a statement. */
export interface Question {
  /** The process whose question it is. */
  owner: object;
  /** Over which connection; what is asked over the same one is asked in its order. */
  connection: object;
  /** The server's process that answers it; undefined for a connection that is being opened. */
  pid: number | undefined;
  /** Asks it. Resolves when it is answered, by a failure too. */
  ask: () => Promise<void>;
  /** Hands the response on. */
  report: () => void;
}

class Turn {
  readonly question: Question;
  readonly report: () => void;
  readonly #ask: () => Promise<void>;
  readonly #ended = Promise.withResolvers<void>();
  ended = false;
  dropped = false;

  constructor(question: Question) {
    this.question = question;
    const inContext = AsyncLocalStorage.snapshot();
    this.#ask = () => inContext(question.ask);
    this.report = () => inContext(question.report);
  }

  get end(): Promise<void> {
    return this.#ended.promise;
  }

  begin(): void {
    const ended = () => {
      this.ended = true;
      this.#ended.resolve();
    };
    this.#ask().then(ended, ended);
  }

  drop(): void {
    this.dropped = true;
    this.#ended.resolve();
  }
}

/**
 * Asks Postgres one thing after the other, so that a history happens the same way however fast the machine is. The next
 * thing is asked when the one before is answered, or waits for a lock that only a later one gives free, and when
 * everybody has done what the responses before brought about. Which thing that is decides chance, by the history's seed.
 */
class DatabaseTurns {
  #monitor: Queryable | undefined;
  #waiting: Turn[] = [];
  /** Sent, with the result not delivered yet. Before the result arrives, all but the last one wait for locks. */
  readonly #asked = new Set<Turn>();
  /** Processes of the server whose client is dead, and which may not have noticed. */
  #orphans: number[] = [];
  #work: Promise<void> | undefined;

  /** Tells through what to look for locks. */
  watch(monitor: Queryable): void {
    this.#monitor = monitor;
  }

  get underWay(): boolean {
    return this.#work !== undefined;
  }

  /** Resolves when everything is answered, and all that it brought about too. */
  async over(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  ask(question: Question): void {
    this.#waiting.push(new Turn(question));
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
    });
  }

  /** A process is killed: no more queries are sent or results delivered for it, and its open work is rolled back first. */
  kill(owner: object, pids: readonly number[]): void {
    this.#orphans.push(...pids);
    for (const turn of [...this.#waiting, ...this.#asked]) if (turn.question.owner === owner) turn.drop();
  }

  async #run(): Promise<void> {
    for (;;) {
      await idleTurns();
      this.#waiting = this.#waiting.filter(({ dropped }) => !dropped);
      for (const turn of this.#asked) if (turn.dropped) this.#asked.delete(turn);
      if (this.#orphans.length > 0) {
        await this.#endOrphans();
        await this.#rest();
        continue;
      }
      const responded = [...this.#asked].find(({ ended }) => ended);
      const next = responded === undefined ? await this.#takeNext() : undefined;
      if (responded !== undefined) {
        this.#asked.delete(responded);
        responded.report();
      } else if (next !== undefined) {
        this.#asked.add(next);
        next.begin();
        await this.#rest();
      } else if (this.#asked.size > 0) {
        // They wait for each other: Postgres ends one of them.
        await Promise.race([...this.#asked].map(({ end }) => end));
        await this.#rest();
      } else return;
    }
  }

  /**
   * Of what several connections want to ask, that of any of them. While one waits for a lock, only those that have it go
   * on where they can: among several that wait for the same, it would not be certain who is next.
   */
  async #takeNext(): Promise<Turn | undefined> {
    const firsts = new Map<object, Turn>();
    for (const turn of this.#waiting) {
      const { connection } = turn.question;
      if (!firsts.has(connection)) firsts.set(connection, turn);
    }
    const all = [...firsts.values()];
    const blockers = await this.#blockers();
    const blocking = all.filter(({ question: { pid } }) => pid !== undefined && blockers.has(pid));
    const candidates = blocking.length > 0 ? blocking : all;
    const next = candidates[Math.floor(Math.random() * candidates.length)];
    this.#waiting = this.#waiting.filter((turn) => turn !== next);
    return next;
  }

  /** The server's processes that have a lock for which another one waits. */
  async #blockers(): Promise<Set<number>> {
    if (this.#asked.size === 0) return new Set();
    const rows = await this.#query(
      'SELECT DISTINCT unnest(pg_blocking_pids(pid)) AS pid FROM unnest($1::int[]) AS pid',
      pidsOf([...this.#asked]),
    );
    return new Set(rows.map(({ pid }) => pid));
  }

  /** Resolves when each thing that was asked is answered or waits for a lock. */
  async #rest(): Promise<void> {
    for (;;) {
      const open = () => [...this.#asked].filter(({ ended, dropped }) => !ended && !dropped);
      const last = open().at(-1);
      if (last === undefined) return;
      await within(last.end, LOCK_POLL_MS);
      const left = open();
      if (left.length === 0) return;
      const locked = await this.#locked(left);
      if (open().every(({ question }) => question.pid !== undefined && locked.has(question.pid))) return;
    }
  }

  /** Those of the server's processes that wait for a lock. */
  async #locked(turns: readonly Turn[]): Promise<Set<number>> {
    const rows = await this.#query(
      'SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND pid = ANY($1::int[])',
      pidsOf(turns),
    );
    return new Set(rows.map(({ pid }) => pid));
  }

  async #endOrphans(): Promise<void> {
    const pids = this.#orphans;
    this.#orphans = [];
    for (let left = pids; left.length > 0; ) {
      const rows = await this.#query(
        'SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ANY($1::int[])',
        left,
      );
      left = rows.map(({ pid }) => pid);
    }
  }

  async #query(text: string, pids: readonly number[]): Promise<{ pid: number }[]> {
    if (this.#monitor === undefined) throw new Error('nothing to look for locks with');
    return (await this.#monitor.query<{ pid: number }>(text, [pids])).rows;
  }
}

function pidsOf(turns: readonly Turn[]): number[] {
  return turns.flatMap(({ question }) => question.pid ?? []);
}

export const databaseTurns = new DatabaseTurns();

/** Resolves with the promise, or after some real time. */
async function within(promise: Promise<void>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = realTimeout(resolve, ms);
  await Promise.race([promise, late]);
  realClear(timer);
}

/** Turns of the event loop without any work in progress after which none is left. */
const IDLE_TURNS = 3;

/** Resolves once no promise or event is left to be handled, unless a query ends meanwhile. */
export async function idleTurns(): Promise<void> {
  for (let turn = 0; turn < IDLE_TURNS; turn += 1) await nextTurn();
}

/**
 * Resolves once the process has nothing more to do: no query is in progress, and no promise or event is left to be handled.
 * Only timers and messages of the history can set it in motion again.
 */
export async function quiet(): Promise<void> {
  do {
    await databaseTurns.over();
    await idleTurns();
  } while (databaseTurns.underWay);
}
