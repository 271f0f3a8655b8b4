/** A reason as a service words it, as a sentence of its own. */
export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return text === '' || /[.!?]$/.test(text) ? first : `${first}.`;
}

/** A list in words: `a`, `a and b`, `a, b and c`. */
export function inWords(names: readonly string[]): string {
  if (names.length <= 1) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
