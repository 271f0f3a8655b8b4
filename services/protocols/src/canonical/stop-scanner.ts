/** The start of the automaton, where no stop word has begun. */
const ROOT = 0;
const NONE = -1;
const CODES = 0x1_0000;

/**
 * Stop words as an automaton (Aho-Corasick), which finds them in one pass over a text, however many there are. A state is a
 * beginning of a word: the longest one that the text so far ends in.
 */
export class StopWords {
  /** The next state by state and UTF-16 code. */
  readonly #next = new Map<number, number>();
  /** The longest beginning of a word that a state ends in, besides itself. */
  readonly #fallbacks: number[] = [NONE];
  readonly #lengths: number[] = [0];
  /** Length of the longest word that a state ends in; 0 for none. */
  readonly #matched: number[] = [0];

  /** @param words none of them empty */
  constructor(words: readonly string[]) {
    const origins: { readonly parent: number; readonly code: number }[] = [{ parent: NONE, code: 0 }];
    for (const word of words) {
      let state = ROOT;
      for (let i = 0; i < word.length; i++) {
        const code = word.charCodeAt(i);
        let next = this.#child(state, code);
        if (next === undefined) {
          next = origins.push({ parent: state, code }) - 1;
          this.#next.set(state * CODES + code, next);
          this.#fallbacks.push(NONE);
          this.#lengths.push(i + 1);
          this.#matched.push(0);
        }
        state = next;
      }
      this.#matched[state] = word.length;
    }
    // A fallback is shorter than its state, so that it is known if shorter states come first.
    const byLength = [...origins.keys()].sort((a, b) => this.lengthOf(a) - this.lengthOf(b));
    for (const state of byLength) {
      const { parent, code } = origins[state] ?? { parent: NONE, code: 0 };
      if (parent === NONE) continue;
      const fallback = parent === ROOT ? ROOT : this.step(this.#fallbacks[parent] ?? ROOT, code);
      this.#fallbacks[state] = fallback;
      this.#matched[state] ||= this.matchedAt(fallback);
    }
  }

  step(from: number, code: number): number {
    for (let state = from; state !== NONE; state = this.#fallbacks[state] ?? NONE) {
      const next = this.#child(state, code);
      if (next !== undefined) return next;
    }
    return ROOT;
  }

  lengthOf(state: number): number {
    return this.#lengths[state] ?? 0;
  }

  matchedAt(state: number): number {
    return this.#matched[state] ?? 0;
  }

  #child(state: number, code: number): number | undefined {
    return this.#next.get(state * CODES + code);
  }
}

/** What a piece of a text adds to its part before the first stop word. */
export interface Scanned {
  readonly text: string;
  /** The stop word after it. Nothing follows. */
  readonly stop?: string;
}

/** Scans one text, piece by piece, and holds back only what may be the beginning of a stop word. */
export class StopScanner {
  readonly #words: StopWords;
  #state = ROOT;
  #held = '';
  /** A stop word in the held text. An earlier one, which contains it, may still become complete. */
  #found: { start: number; end: number } | undefined;

  constructor(words: StopWords) {
    this.#words = words;
  }

  push(piece: string): Scanned {
    const text = this.#held + piece;
    for (let i = this.#held.length; i < text.length; i++) {
      const end = i + 1;
      this.#state = this.#words.step(this.#state, text.charCodeAt(i));
      const matched = this.#words.matchedAt(this.#state);
      if (matched > 0 && (this.#found === undefined || end - matched < this.#found.start)) {
        this.#found = { start: end - matched, end };
      }
      if (this.#found !== undefined && end - this.#words.lengthOf(this.#state) >= this.#found.start) {
        return cut(text, this.#found);
      }
    }
    const kept = text.length - this.#words.lengthOf(this.#state);
    this.#held = text.slice(kept);
    if (this.#found !== undefined) this.#found = { start: this.#found.start - kept, end: this.#found.end - kept };
    return { text: text.slice(0, kept) };
  }

  /** The text has ended: returns what was held back. */
  end(): Scanned {
    return this.#found === undefined ? { text: this.#held } : cut(this.#held, this.#found);
  }
}

function cut(text: string, { start, end }: { readonly start: number; readonly end: number }): Scanned {
  return { text: text.slice(0, start), stop: text.slice(start, end) };
}
