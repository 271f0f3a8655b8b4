/** What a request has taken of its limits until its usage is known. */
export interface TakenLimits {
  /**
   * Corrects the tokens taken to those used, and ends the request's part in limits on open requests. Resolves once all
   * ingresses know, or Redis has not responded; never rejects.
   */
  recordUsage: (tokens: number) => Promise<void>;
}

/**
 * An open request. It is released once its response is closed and no work on it is left; its usage is recorded
 * earlier, as soon as it is known.
 */
export class Admission {
  readonly #onReleased: (() => void)[];
  #holders = 1;
  #taken: TakenLimits | undefined;
  #recorded = false;

  constructor(onReleased: () => void) {
    this.#onReleased = [onReleased];
  }

  /** Attaches what was taken for the request. Corrected at once if the usage is recorded already. */
  attach(taken: TakenLimits): void {
    if (this.#recorded) void taken.recordUsage(0);
    else this.#taken = taken;
  }

  /**
   * Corrects what was taken to the tokens used. Only the first call counts.
   *
   * @returns a promise to await before the end of the response is sent, so that limits on open requests no longer count
   *   this one when the client sends its next, to whichever ingress; undefined if nothing was taken
   */
  recordUsage(tokens: number): Promise<void> | undefined {
    if (this.#recorded) return undefined;
    this.#recorded = true;
    const taken = this.#taken;
    this.#taken = undefined;
    return taken?.recordUsage(tokens);
  }

  /** Calls back once the request is released, at once if it is already. */
  onReleased(callback: () => void): void {
    if (this.#holders === 0) callback();
    else this.#onReleased.push(callback);
  }

  /** Keeps the request open until one more `release`. */
  retain(): void {
    this.#holders += 1;
  }

  /** Called once when the response is closed, and once for each `retain`. */
  release(): void {
    this.#holders -= 1;
    if (this.#holders !== 0) return;
    void this.recordUsage(0);
    for (const callback of this.#onReleased) callback();
  }
}
