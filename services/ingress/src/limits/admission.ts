/** What a request has taken, to be settled when its usage is known. */
export interface TakenLimits {
  /** Corrects what was taken by the tokens that were used, and counts the request as no longer open. */
  recordUsage: (tokens: number) => void;
}

/**
 * A request's place among the open ones. It is over when the response is closed and nobody works on the request any more;
 * what it has taken is settled earlier, as soon as its usage is known.
 */
export class Admission {
  readonly #onOver: (() => void)[];
  #holders = 1;
  #taken: TakenLimits | undefined;
  #settled = false;

  constructor(onOver: () => void) {
    this.#onOver = [onOver];
  }

  /** Hands over what was taken for the request; settled at once where the request is settled already. */
  attach(taken: TakenLimits): void {
    if (this.#settled) taken.recordUsage(0);
    else this.#taken = taken;
  }

  /** Settles what was taken by the tokens that were used. Only the first call counts. */
  recordUsage(tokens: number): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#taken?.recordUsage(tokens);
    this.#taken = undefined;
  }

  /** Calls back once the request is over, at once where it is. */
  onReleased(callback: () => void): void {
    if (this.#holders === 0) callback();
    else this.#onOver.push(callback);
  }

  /** Keeps the place until one more `release`. */
  retain(): void {
    this.#holders += 1;
  }

  /** To be called once when the response is closed, and once for each `keep`. */
  release(): void {
    this.#holders -= 1;
    if (this.#holders !== 0) return;
    this.recordUsage(0);
    for (const callback of this.#onOver) callback();
  }
}
