import { hash } from 'node:crypto';

/** A piece of a prompt, in the order in which the model reads it. */
export interface PromptPiece {
  text: string;
  /** Whether the provider keeps the prompt up to and including this piece. */
  kept: boolean;
}

/** Tokens of an input that were read from the cache, and that were written to it. */
export interface CacheUse {
  read: number;
  written: number;
}

/** Shorter prompts are not cached. https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
const MIN_TOKENS = 1_024;
/** Pieces before a kept one that are also looked up, as far back as Anthropic looks. */
const LOOKBACK = 20;
const MAX_PREFIXES = 10_000;

/** Remembers the prompts of a provider by their prefixes, as prompt caches do. They do not expire. */
export class PromptCache {
  readonly #prefixes = new Set<string>();

  /** @param input tokens of the whole prompt, which its pieces share by their size */
  use(model: string, pieces: readonly PromptPiece[], input: number): CacheUse {
    const total = pieces.reduce((sum, { text }) => sum + text.length, 0);
    const lastKept = pieces.findLastIndex(({ kept }) => kept);
    let digest = hash('sha256', model);
    let size = 0;
    let read = 0;
    let end = 0;
    const kept: string[] = [];
    for (const [i, piece] of pieces.slice(0, lastKept + 1).entries()) {
      digest = hash('sha256', `${digest}${piece.text}`);
      size += piece.text.length;
      const tokens = Math.floor((input * size) / total);
      if (tokens < MIN_TOKENS) continue;
      const isLookedUp = pieces.slice(i, i + LOOKBACK).some((next) => next.kept);
      if (isLookedUp && this.#prefixes.has(digest)) read = tokens;
      if (!piece.kept) continue;
      kept.push(digest);
      end = tokens;
    }
    for (const prefix of kept) this.#prefixes.add(prefix);
    this.#forgetOldest();
    return { read, written: Math.max(0, end - read) };
  }

  #forgetOldest(): void {
    for (const prefix of this.#prefixes) {
      if (this.#prefixes.size <= MAX_PREFIXES) return;
      this.#prefixes.delete(prefix);
    }
  }
}
