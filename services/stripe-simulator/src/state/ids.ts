import { createHash, randomBytes } from 'node:crypto';

/** Makes ids; with a seed, the same ones in every run. */
export class Ids {
  readonly #seed: string | undefined;
  #count = 0;

  constructor(seed: string | undefined) {
    this.#seed = seed;
  }

  /** @param prefix with its underscore, such as `pi_` */
  next(prefix: string, length = 24): string {
    let text = '';
    while (text.length < length) text += this.#bytes().toString('base64').replace(/[+/=]/g, '');
    return prefix + text.slice(0, length);
  }

  #bytes(): Buffer {
    this.#count += 1;
    if (this.#seed === undefined) return randomBytes(32);
    return createHash('sha256').update(`${this.#seed}:${this.#count}`).digest();
  }
}
