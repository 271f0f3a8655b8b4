/** A reason as a service words it, as a sentence of its own. */
export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return text === '' || /[.!?]$/.test(text) ? first : `${first}.`;
}
