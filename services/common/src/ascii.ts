/**
 * A text with its ASCII letters in lower case. `toLowerCase` turns the Kelvin sign (U+212A) into an ASCII `k`: the address of
 * one person would become the address of another.
 */
export function lowerCaseAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
