import { hash } from 'node:crypto';

/** Default length of a vector. */
export const DIMENSIONS = 16;
/** Maximum length of a vector, as with real models. */
export const MAX_DIMENSIONS = 3_072;

/** A vector of norm 1 that depends only on the text, of 32-bit floats like those of real models. */
export function vectorOf(text: string, dimensions: number): number[] {
  const raw = Array.from({ length: dimensions }, (_, index) => wave(text, index));
  const norm = Math.hypot(...raw);
  return raw.map((value) => Math.fround(value / norm));
}

/** From -1 to 1, and never 0. */
function wave(text: string, index: number): number {
  const seed = Number.parseInt(hash('sha256', `${index} ${text}`).slice(0, 8), 16);
  return (seed + 0.5) / 0x8000_0000 - 1;
}
