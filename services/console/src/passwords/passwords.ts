import { ApiError } from '../http/api-error.ts';
import { hashPassword, matchesHash, PLACEHOLDER_HASH } from './password-hash.ts';

/** Hashes computed at the same time; each takes 19 MiB and about 30 ms of a core. */
const MAX_RUNNING = 2;
const MAX_WAITING = 40;

/** The functions that are costly. */
export interface Hashing {
  hashPassword: (password: string) => Promise<string>;
  matchesHash: (password: string, hash: string) => Promise<boolean>;
}

export interface PasswordsOptions {
  maxWaiting?: number;
  hashing?: Hashing;
}

/** Hashes and checks passwords, a few at a time, so that a flood of sign-ins takes neither the memory nor the cores. */
export class Passwords {
  readonly #waiting: (() => void)[] = [];
  readonly #maxWaiting: number;
  readonly #hashing: Hashing;
  #running = 0;

  constructor({ maxWaiting = MAX_WAITING, hashing = { hashPassword, matchesHash } }: PasswordsOptions = {}) {
    this.#maxWaiting = maxWaiting;
    this.#hashing = hashing;
  }

  /** @throws ApiError unavailable: too many are waiting */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => this.#hashing.hashPassword(password));
  }

  /**
   * Whether a password is right; false, after the same work, where there is no hash. So a response takes the same time for
   * all addresses.
   *
   * @throws ApiError unavailable: too many are waiting
   */
  matches(password: string, hash: string | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      const isRight = await this.#hashing.matchesHash(password, hash ?? PLACEHOLDER_HASH);
      return isRight && hash !== undefined;
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_RUNNING) {
      if (this.#waiting.length >= this.#maxWaiting)
        throw new ApiError('unavailable', 'Too many people are signing in. Try again in a moment.', { retryAfterS: 5 });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      // A waiting one takes over the turn.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
