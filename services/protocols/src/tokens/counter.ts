import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Counts the tokens of a text with OpenAI's o200k_base encoding, as an estimate for any model. It works in small steps
 * and lets other work pass between them. A text longer than MAX_COUNTED_CHARACTERS is counted up to there, and the rest
 * is extrapolated.
 */
export type TokenCounter = (text: string) => Promise<number>;

/** Characters counted at once. The encoder's time grows with the square of a run without breaks; this many take at most 5 ms. */
export const STEP_CHARACTERS = 2_048;

export const MAX_COUNTED_CHARACTERS = 256 * 1_024;

/** Pieces of words whose tokens the encoder remembers; its own default would keep five times as many. */
const REMEMBERED_PIECES = 20_000;

let counter: Promise<TokenCounter> | undefined;

/** Loads the encoding on first use, which takes about 0.2 s and 70 MB. */
export function loadCounter(): Promise<TokenCounter> {
  counter ??= load();
  return counter;
}

async function load(): Promise<TokenCounter> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base');
  setMergeCacheSize(REMEMBERED_PIECES);
  // Text that looks like a control token of the encoding is counted as plain text.
  const options = { disallowedSpecial: new Set<string>() };
  return async (text) => {
    let tokens = 0;
    let at = 0;
    while (at < text.length && at < MAX_COUNTED_CHARACTERS) {
      if (at > 0) await nextTurn();
      const end = stepEnd(text, at);
      tokens += countTokens(text.slice(at, end), options);
      at = end;
    }
    return at < text.length ? Math.ceil((tokens * text.length) / at) : tokens;
  };
}

/** The end of the step from `start`: before the last space if there is one nearby, so that few words are split. */
function stepEnd(text: string, start: number): number {
  const end = start + STEP_CHARACTERS;
  if (end >= text.length) return text.length;
  const space = text.lastIndexOf(' ', end);
  return space > start + STEP_CHARACTERS / 2 ? space : end;
}
