/** The default output of a simulated model. Each piece is one token. */
const DEFAULT_OUTPUT = splitWords('This is a simulated answer: no model was called.');

/** Continues the default response up to the requested number of tokens. */
const FILLER = splitWords(' These words are simulated output, repeated until the number of tokens that was asked for.');

function splitWords(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}

/** The default response. */
export function defaultPieces(): readonly string[] {
  return DEFAULT_OUTPUT;
}

/** A response of exactly `count` tokens. */
export function fillerPieces(count: number): string[] {
  const pieces = DEFAULT_OUTPUT.slice(0, count);
  while (pieces.length < count) pieces.push(FILLER[(pieces.length - DEFAULT_OUTPUT.length) % FILLER.length] ?? '');
  return pieces;
}

/** Splits a text into tokens of at most four characters, never inside a character. */
export function textPieces(text: string): string[] {
  return text.match(/.{1,4}/gsu) ?? [];
}
