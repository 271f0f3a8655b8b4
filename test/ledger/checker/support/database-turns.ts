import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Queryable } from '@tollgate/common/postgres/pool';

/** How long a query may take before it is checked for a lock wait. In real time, unlike all else here. */
const LOCK_POLL_MS = 5;

const realTimeout = globalThis.setTimeout;
const realClear = globalThis.clearTimeout;

/** A request to Postgres: to open a connection, or to run a statement. */
export interface DatabaseRequest {
  /** The process that sends it. */
  owner: object;
  /** Its connection; requests of one connection are sent in order. */
  connection: object;
  /** The backend process; undefined for a connection that is being opened. */
  pid: number | undefined;
  /** Sends it. Resolves when it has succeeded or failed. */
  ask: () => Promise<void>;
  /** Delivers the response. */
  report: () => void;
}

class Turn {
  readonly request: DatabaseRequest;
  readonly report: () => void;
  readonly #ask: () => Promise<void>;
  readonly #ended = Promise.withResolvers<void>();
  ended = false;
  dropped = false;

  constructor(request: DatabaseRequest) {
    this.request = request;
    const inContext = AsyncLocalStorage.snapshot();
    this.#ask = () => inContext(request.ask);
    this.report = () => inContext(request.report);
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
 * Sends Postgres one request after another, so a history is deterministic on any machine. The next request is sent when the
 * one before is done, or waits for a lock that a later one releases, and when all effects of earlier responses are
 * over. The history's seed decides which request is next.
 */
class DatabaseTurns {
  #monitor: Queryable | undefined;
  #waiting: Turn[] = [];
  /** Sent, with the result not delivered yet. Until it arrives, all but the last one wait for locks. */
  readonly #asked = new Set<Turn>();
  /** Backend processes whose client is dead, which they may not have noticed. */
  #orphans: number[] = [];
  #work: Promise<void> | undefined;

  /** Sets the connection that looks for lock waits. */
  watch(monitor: Queryable): void {
    this.#monitor = monitor;
  }

  get isBusy(): boolean {
    return this.#work !== undefined;
  }

  /** Resolves when all requests, and those they cause, are done. */
  async over(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  ask(request: DatabaseRequest): void {
    this.#waiting.push(new Turn(request));
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
    });
  }

  /** Kills a process: no more queries are sent or results delivered for it, and its open work is rolled back first. */
  kill(owner: object, pids: readonly number[]): void {
    this.#orphans.push(...pids);
    for (const turn of [...this.#waiting, ...this.#asked]) if (turn.request.owner === owner) turn.drop();
  }

  async #run(): Promise<void> {
    for (;;) {
      await waitForPendingWork();
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
        // A deadlock: Postgres ends one of them.
        await Promise.race([...this.#asked].map(({ end }) => end));
        await this.#rest();
      } else return;
    }
  }

  /**
   * Chooses the request of one connection. While one waits for a lock, only holders of locks proceed if possible: the order
   * of several waiters for one lock is not deterministic.
   */
  async #takeNext(): Promise<Turn | undefined> {
    const firsts = new Map<object, Turn>();
    for (const turn of this.#waiting) {
      const { connection } = turn.request;
      if (!firsts.has(connection)) firsts.set(connection, turn);
    }
    const all = [...firsts.values()];
    const blockers = await this.#blockers();
    const blocking = all.filter(({ request: { pid } }) => pid !== undefined && blockers.has(pid));
    const candidates = blocking.length > 0 ? blocking : all;
    const next = candidates[Math.floor(Math.random() * candidates.length)];
    this.#waiting = this.#waiting.filter((turn) => turn !== next);
    return next;
  }

  /** The backend processes that hold a lock for which another one waits. */
  async #blockers(): Promise<Set<number>> {
    if (this.#asked.size === 0) return new Set();
    const rows = await this.#query(
      'SELECT DISTINCT unnest(pg_blocking_pids(pid)) AS pid FROM unnest($1::int[]) AS pid',
      pidsOf([...this.#asked]),
    );
    return new Set(rows.map(({ pid }) => pid));
  }

  /** Resolves when each sent request is done or waits for a lock. */
  async #rest(): Promise<void> {
    for (;;) {
      const open = () => [...this.#asked].filter(({ ended, dropped }) => !ended && !dropped);
      const last = open().at(-1);
      if (last === undefined) return;
      await within(last.end, LOCK_POLL_MS);
      const left = open();
      if (left.length === 0) return;
      const locked = await this.#locked(left);
      if (open().every(({ request }) => request.pid !== undefined && locked.has(request.pid))) return;
    }
  }

  /** The backend processes that wait for a lock. */
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
    if (this.#monitor === undefined) throw new Error('no connection to look for lock waits');
    return (await this.#monitor.query<{ pid: number }>(text, [pids])).rows;
  }
}

function pidsOf(turns: readonly Turn[]): number[] {
  return turns.flatMap(({ request }) => request.pid ?? []);
}

export const databaseTurns = new DatabaseTurns();

/** Resolves with the promise, or after some real time. */
async function within(promise: Promise<void>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = realTimeout(resolve, ms);
  await Promise.race([promise, late]);
  realClear(timer);
}

/** Turns of the event loop after which no pending work is left. */
const IDLE_TURNS = 3;

/** Resolves once no promise or event is pending, unless a query ends meanwhile. */
export async function waitForPendingWork(): Promise<void> {
  for (let turn = 0; turn < IDLE_TURNS; turn += 1) await nextTurn();
}

/**
 * Resolves once no query, promise or event is pending. Only timers and messages of the history cause further work.
 */
export async function waitUntilIdle(): Promise<void> {
  do {
    await databaseTurns.over();
    await waitForPendingWork();
  } while (databaseTurns.isBusy);
}
