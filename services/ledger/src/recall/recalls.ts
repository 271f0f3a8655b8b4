import type { LeaseResponse } from '@tollgate/proto/ledger';
import { noBus, type RecallBus, type RecallMessage, SESSIONS_PER_MESSAGE } from './bus.ts';
import { parseScope, type RecallScope, recallMessage, scopeText } from './scope.ts';

/** One recall of one scope as one replica sees it: started here, or announced by another replica. */
export class RecallRun {
  readonly scope: string;
  readonly startedAtMs: number;
  /** Resolves when it is over. */
  readonly ended: Promise<void>;
  /** Started here: this replica holds the lock of the scope. */
  isLeader = false;
  /** Another replica asks too: answers are forwarded to it. */
  forwardsAnswers = false;
  /** Sessions whose answer is awaited, connected to any replica. */
  readonly #awaited = new Set<string>();
  /** Sessions of this replica that were asked and have not answered. */
  readonly #asked = new Set<string>();
  readonly #end = Promise.withResolvers<void>();
  #return = Promise.withResolvers<void>();
  #wasAnnounced = false;
  #over = false;

  constructor(scope: string, nowMs: number) {
    this.scope = scope;
    this.startedAtMs = nowMs;
    this.ended = this.#end.promise;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Whether it was started here, and every session it asked has answered. */
  get allAnswered(): boolean {
    return this.isLeader && this.#wasAnnounced && this.#awaited.size === 0;
  }

  /** Resolves at the next return of credit, or when the recall is over. */
  get nextReturn(): Promise<void> {
    return this.#return.promise;
  }

  awaitAnswers(sessions: Iterable<string>): void {
    this.#wasAnnounced = true;
    for (const session of sessions) this.#awaited.add(session);
  }

  isAwaiting(session: string): boolean {
    return this.#awaited.has(session);
  }

  /** Records that a session of this replica is being asked. */
  markAsked(session: string): void {
    this.#asked.add(session);
  }

  /** Takes the return of a session of this replica; false when the session was not asked. */
  takeAnswer(session: string): boolean {
    return this.#asked.delete(session);
  }

  /** Records a session's answer, and whether credit became available. */
  recordAnswer(session: string, gave: boolean): void {
    if (!this.#awaited.delete(session) || !gave) return;
    this.#return.resolve();
    this.#return = Promise.withResolvers<void>();
  }

  end(): void {
    this.#over = true;
    this.#end.resolve();
    this.#return.resolve();
  }
}

/** Sends on the stream of a session. */
export type SendToSession = (message: NonNullable<LeaseResponse['message']>) => Promise<void>;

/** Maximum concurrent recalls; further shortfalls are refused without one. */
const MAX_RUNNING = 1_000;

/** Maximum shortfalls that wait for recalls; further ones are refused without waiting. */
const MAX_WAITING = 5_000;

export interface RecallsOptions {
  /** Maximum duration of a recall, milliseconds; 0 disables recalls. */
  waitMs: number;
  bus?: RecallBus;
}

/**
 * The recalls this replica takes part in: those it starts because credit falls short, and those of other replicas, which
 * it forwards to the sessions it serves. What is recalled is named by a scope, see scope.ts.
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
    bus.subscribe((message) => this.#onMessage(message));
  }

  /** Registers the open stream of a session for recalls. @returns unregisters it, when the stream is closed */
  attach(sessionId: string, send: SendToSession): () => void {
    this.#sessions.set(sessionId, send);
    // A recall may be running since before the session had this stream.
    for (const run of this.#running.values()) if (run.isAwaiting(sessionId)) this.#ask(run, sessionId);
    return () => {
      if (this.#sessions.get(sessionId) === send) this.#sessions.delete(sessionId);
    };
  }

  /**
   * Reports the committed return of a session: its answer, if it was asked. A return that the session sent unasked in the
   * meantime counts as its answer too, which can only end the recall early.
   *
   * @param gave whether credit became available
   */
  returned(sessionId: string, scope: RecallScope, gave: boolean): void {
    const run = this.#running.get(scopeText(scope));
    if (run === undefined || !run.takeAnswer(sessionId)) return;
    if (run.forwardsAnswers) {
      this.#bus.publish({ kind: 'answered', from: this.#bus.replica, scope: run.scope, session: sessionId, gave });
    }
    this.#answered(run, sessionId, gave);
  }

  /** Reserves a place for a shortfall that waits; false when all are taken. `leave` frees it. */
  enter(): boolean {
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting += 1;
    return true;
  }

  leave(): void {
    this.#waiting -= 1;
  }

  /**
   * Starts a recall of the scope, or joins the one that runs on any replica.
   *
   * @param holders lists the sessions that have credit to return
   * @returns undefined if no recall is possible. `leads`: it was started for this caller, who ends it with `finish`
   */
  async begin(
    scope: RecallScope,
    holders: () => Promise<string[]>,
  ): Promise<{ run: RecallRun; leads: boolean } | undefined> {
    const text = scopeText(scope);
    const known = this.#running.get(text);
    if (known !== undefined) return { run: known, leads: false };
    if (this.waitMs === 0 || this.#running.size >= MAX_RUNNING) return undefined;
    // Registered before the lock is requested: the leader may announce the end of the recall at the same moment.
    const run = this.#startRun(text);
    if (!(await this.#lock(run))) return { run, leads: false };
    run.isLeader = true;
    try {
      this.#askAll(run, await holders());
    } catch (error) {
      this.finish(run);
      throw error;
    }
    return { run, leads: true };
  }

  /** Takes the lock of the scope; false when the run ends before the lock is free. */
  async #lock(run: RecallRun): Promise<boolean> {
    const lock = this.#bus.lock(run.scope);
    const taken = await Promise.race([lock, run.ended.then(() => false)]);
    if (taken && !run.over) return true;
    // A lock that arrives late is released.
    void lock.then((late) => {
      if (late) this.#bus.unlock(run.scope);
    });
    return false;
  }

  /** Ends a recall. Does nothing when it is over. */
  finish(run: RecallRun): void {
    if (run.over) return;
    run.end();
    if (this.#running.get(run.scope) === run) this.#running.delete(run.scope);
    if (run.isLeader) this.#bus.unlock(run.scope);
  }

  start(): Promise<void> {
    return this.#bus.start();
  }

  stop(): Promise<void> {
    for (const run of this.#running.values()) this.finish(run);
    return this.#bus.stop();
  }

  #startRun(scope: string): RecallRun {
    const run = new RecallRun(scope, performance.now());
    this.#running.set(scope, run);
    const timer = setTimeout(() => this.finish(run), this.waitMs);
    void run.ended.then(() => clearTimeout(timer));
    return run;
  }

  #askAll(run: RecallRun, sessions: string[]): void {
    if (run.over) return;
    run.awaitAnswers(sessions);
    if (run.allAnswered) this.finish(run);
    const elsewhere: string[] = [];
    for (const session of sessions) if (!this.#ask(run, session)) elsewhere.push(session);
    for (let at = 0; at < elsewhere.length; at += SESSIONS_PER_MESSAGE) {
      const part = elsewhere.slice(at, at + SESSIONS_PER_MESSAGE);
      this.#bus.publish({ kind: 'ask', from: this.#bus.replica, scope: run.scope, sessions: part });
    }
  }

  /** Asks a session that is connected to this replica; false when it is not. */
  #ask(run: RecallRun, session: string): boolean {
    const send = this.#sessions.get(session);
    const scope = parseScope(run.scope);
    if (send === undefined || scope === undefined) return false;
    run.markAsked(session);
    void send(recallMessage(scope));
    return true;
  }

  #answered(run: RecallRun, session: string, gave: boolean): void {
    run.recordAnswer(session, gave);
    if (run.allAnswered) this.finish(run);
  }

  #onMessage(message: RecallMessage): void {
    const known = this.#running.get(message.scope);
    switch (message.kind) {
      case 'ask': {
        const run = known ?? this.#startRun(message.scope);
        run.forwardsAnswers = true;
        run.awaitAnswers(message.sessions);
        for (const session of message.sessions) this.#ask(run, session);
        return;
      }
      case 'answered':
        if (known !== undefined) this.#answered(known, message.session, message.gave);
        return;
      case 'done':
        if (known !== undefined && !known.isLeader) this.finish(known);
        return;
      default:
        message satisfies never;
    }
  }
}
