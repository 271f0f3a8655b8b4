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
