/** Longer than any word of a provider's. */
const MOST_CHARACTERS = 100;

/** An upstream's word as records and spans keep it: short, of whole characters, without control characters. */
export function recordText(word: string): string {
  return word
    .slice(0, 2 * MOST_CHARACTERS)
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MOST_CHARACTERS)
    .toWellFormed();
}
