import type { LeaseResponse } from '@tollgate/proto/ledger';
import { noBus, type RecallBus, type RecallMessage, SESSIONS_PER_MESSAGE } from './bus.ts';
import { parseScope, type RecallScope, recallMessage, scopeText } from './scope.ts';

/** One recall of one scope, as one replica sees it: begun here, or heard of from another replica. */
export class RecallRun {
  readonly scope: string;
  readonly startedAtMs: number;
  /** Resolves when it is over. */
  readonly ended: Promise<void>;
  /** Begun here: this replica holds the scope's lock. */
  own = false;
  /** Another replica asks too, and is to be told of answers. */
  heard = false;
  /** Sessions that are to answer, wherever they are connected. */
  readonly #awaited = new Set<string>();
  /** Sessions of this replica that were asked and have not answered. */
  readonly #asked = new Set<string>();
  readonly #end = Promise.withResolvers<void>();
  #step = Promise.withResolvers<void>();
  #gave = false;
  #over = false;

  constructor(scope: string, nowMs: number) {
    this.scope = scope;
    this.startedAtMs = nowMs;
    this.ended = this.#end.promise;
  }

  get over(): boolean {
    return this.#over;
  }

  expect(sessions: Iterable<string>): void {
    for (const session of sessions) this.#awaited.add(session);
  }

  expects(session: string): boolean {
    return this.#awaited.has(session);
  }

  /** Notes that a session of this replica is being asked. */
  asked(session: string): void {
    this.#asked.add(session);
  }

  /** Takes the return of a session of this replica; false when it answers nothing. */
  returned(session: string): boolean {
    return this.#asked.delete(session);
  }

  /** Notes a session's answer. @returns true when it was the last one awaited */
  answered(session: string, gave: boolean): boolean {
    if (!this.#awaited.delete(session)) return false;
    if (gave) {
      this.#gave = true;
      this.#step.resolve();
    }
    return this.#awaited.size === 0;
  }

  end(): void {
    this.#over = true;
    this.#end.resolve();
    this.#step.resolve();
  }

  /** Resolves when credit has come free since the last time it did, or when it is over. */
  async step(): Promise<void> {
    await this.#step.promise;
    if (this.#gave && !this.#over) this.#step = Promise.withResolvers<void>();
    this.#gave = false;
  }
}

/** Sends on the stream of a session. */
export type SendToSession = (message: NonNullable<LeaseResponse['message']>) => Promise<void>;

/** Recalls that may run at the same time; beyond, shortages are refused without one. */
const MAX_RUNNING = 1_000;

/** Shortages that may wait for recalls at the same time, led or followed; beyond, they are refused without waiting. */
const MAX_WAITING = 5_000;

export interface RecallsOptions {
  /** Longest a recall runs, milliseconds; 0 switches recalls off. */
  waitMs: number;
  bus?: RecallBus;
}

/**
 * The recalls this replica takes part in: those it begins because credit falls short, and those it hears of from other
 * replicas, whose wish it forwards to the sessions it serves. What is recalled is told by a scope alone; see scope.ts.
 */
export class Recalls {
  readonly waitMs: number;
  readonly #bus: RecallBus;
  /** Sessions connected here; the latest stream of each. */
  readonly #sessions = new Map<string, SendToSession>();
  readonly #running = new Map<string, RecallRun>();
  #waiting = 0;

  constructor({ waitMs, bus = noBus() }: RecallsOptions) {
    this.waitMs = waitMs;
    this.#bus = bus;
    bus.subscribe((message) => this.#heard(message));
  }

  /** A session's stream is open and may be sent recalls. @returns to be called when the stream is gone */
  attach(sessionId: string, send: SendToSession): () => void {
    this.#sessions.set(sessionId, send);
    // A recall may have been under way while the session was between two streams.
    for (const run of this.#running.values()) if (run.expects(sessionId)) this.#ask(run, sessionId);
    return () => {
      if (this.#sessions.get(sessionId) === send) this.#sessions.delete(sessionId);
    };
  }

  /**
   * A session has returned what it could spare, committed. It is an answer where the session was asked; a return that it
   * sent by itself meanwhile counts as one too, which can only end the recall early.
   *
   * @param gave whether credit came free
   */
  returned(sessionId: string, scope: RecallScope, gave: boolean): void {
    const run = this.#running.get(scopeText(scope));
    if (run === undefined || !run.returned(sessionId)) return;
    if (run.heard) {
      this.#bus.publish({ kind: 'answered', from: this.#bus.replica, scope: run.scope, session: sessionId, gave });
    }
    this.#answered(run, sessionId, gave);
  }

  /** Takes a place for a shortage that waits; false when there is none. It is given back by `leave`. */
  enter(): boolean {
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting += 1;
    return true;
  }

  leave(): void {
    this.#waiting -= 1;
  }

  /**
   * Begins a recall of the scope, or joins the one that runs somewhere.
   *
   * @param holders names the sessions that have something to return
   * @returns undefined where there can be none. `leads`: it was begun here, for the caller, who ends it by `finish`
   */
  async begin(
    scope: RecallScope,
    holders: () => Promise<string[]>,
  ): Promise<{ run: RecallRun; leads: boolean } | undefined> {
    const text = scopeText(scope);
    const known = this.#running.get(text);
    if (known !== undefined) return { run: known, leads: false };
    if (this.waitMs === 0 || this.#running.size >= MAX_RUNNING) return undefined;
    // It is noted before the lock is asked for: who leads may tell that it is over in the same moment.
    const run = this.#note(text);
    if (!(await this.#lock(run))) return { run, leads: false };
    run.own = true;
    try {
      this.#askAll(run, await holders());
    } catch (error) {
      this.finish(run);
      throw error;
    }
    return { run, leads: true };
  }

  /** Takes the scope's lock; false when it is not to be had before the run is over. */
  async #lock(run: RecallRun): Promise<boolean> {
    const lock = this.#bus.lock(run.scope);
    const taken = await Promise.race([lock, run.ended.then(() => false)]);
    if (taken && !run.over) return true;
    // Should it be had after all, it is of no use any more.
    void lock.then((late) => {
      if (late) this.#bus.unlock(run.scope);
    });
    return false;
  }

  /** Ends a recall that was begun here. Does nothing when it is over. */
  finish(run: RecallRun): void {
    if (run.over) return;
    run.end();
    if (this.#running.get(run.scope) === run) this.#running.delete(run.scope);
    if (run.own) this.#bus.unlock(run.scope);
  }

  start(): Promise<void> {
    return this.#bus.start();
  }

  stop(): Promise<void> {
    for (const run of this.#running.values()) this.finish(run);
    return this.#bus.stop();
  }

  #note(scope: string): RecallRun {
    const run = new RecallRun(scope, performance.now());
    this.#running.set(scope, run);
    const timer = setTimeout(() => this.finish(run), this.waitMs);
    void run.ended.then(() => clearTimeout(timer));
    return run;
  }

  #askAll(run: RecallRun, sessions: string[]): void {
    if (sessions.length === 0 || run.over) {
      this.finish(run);
      return;
    }
    run.expect(sessions);
    const elsewhere: string[] = [];
    for (const session of sessions) if (!this.#ask(run, session)) elsewhere.push(session);
    for (let at = 0; at < elsewhere.length; at += SESSIONS_PER_MESSAGE) {
      const part = elsewhere.slice(at, at + SESSIONS_PER_MESSAGE);
      this.#bus.publish({ kind: 'ask', from: this.#bus.replica, scope: run.scope, sessions: part });
    }
  }

  /** Asks a session that is connected here; false when it is not. */
  #ask(run: RecallRun, session: string): boolean {
    const send = this.#sessions.get(session);
    const scope = parseScope(run.scope);
    if (send === undefined || scope === undefined) return false;
    run.asked(session);
    void send(recallMessage(scope));
    return true;
  }

  #answered(run: RecallRun, session: string, gave: boolean): void {
    if (run.answered(session, gave) && run.own) this.finish(run);
  }

  #heard(message: RecallMessage): void {
    const known = this.#running.get(message.scope);
    switch (message.kind) {
      case 'ask': {
        const run = known ?? this.#note(message.scope);
        run.heard = true;
        run.expect(message.sessions);
        for (const session of message.sessions) this.#ask(run, session);
        return;
      }
      case 'answered':
        if (known !== undefined) this.#answered(known, message.session, message.gave);
        return;
      case 'done':
        if (known !== undefined && !known.own) this.finish(known);
        return;
      default:
        message satisfies never;
    }
  }
}
