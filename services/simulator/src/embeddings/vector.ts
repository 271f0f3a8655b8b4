import { hash } from 'node:crypto';

/** Length of a vector for which none was asked. */
export const DIMENSIONS = 16;
/** The longest that may be asked for, as real models have it. */
export const MAX_DIMENSIONS = 3_072;

/** A vector of length 1 that depends on the text alone. Its elements are 32-bit floats, as those of real models are. */
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
