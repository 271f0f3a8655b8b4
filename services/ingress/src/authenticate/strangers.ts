import { Allowance, type AllowanceRate } from '../allowance.ts';
import { Recent } from './recent.ts';

/** How many questions about strangers may come to nothing in a row, and how many more each second after. */
const IN_VAIN: AllowanceRate = { burst: 1_000, perSecond: 20 };
const MOST_KNOWN = 100_000;
const KNOWN_MS = 86_400_000;

/**
 * Bounds how often auth and its database are asked about keys that do not exist, as when someone tries keys.
 *
 * A stranger is a key that this process has not found good within a day. Only questions about strangers are counted, and
 * those that find a key are given back: so neither a restart nor an emptied cache costs anything, and a flood of made-up
 * keys costs a thousand questions and a few a second after that, whatever its size.
 */
export class Strangers {
  readonly #known = new Recent<true>(MOST_KNOWN);
  readonly #inVain: Allowance;

  constructor(inVain: AllowanceRate = IN_VAIN) {
    // Whole at first, so that it matters not since when.
    this.#inVain = new Allowance(inVain, 0);
  }

  /** Whether a key was found good within a day. */
  knows(sha256: string, nowMs: number): boolean {
    return this.#known.get(sha256, nowMs) !== undefined;
  }

  /** Judges a question about a key, named by the hex of its SHA-256; a `stranger` is counted. */
  enter(sha256: string, nowMs: number): 'known' | 'stranger' | 'too_many' {
    if (this.knows(sha256, nowMs)) return 'known';
    if (this.#inVain.waitMs(nowMs) > 0) return 'too_many';
    this.#inVain.take(nowMs);
    return 'stranger';
  }

  /** Takes the count of a stranger back that auth knew, or did not answer for. */
  giveBack(): void {
    this.#inVain.giveBack();
  }

  /** Remembers a key that was found good. */
  welcome(sha256: string, nowMs: number): void {
    this.#known.set(sha256, true, nowMs + KNOWN_MS);
  }
}
