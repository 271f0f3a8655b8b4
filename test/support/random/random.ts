import { mulberry32 } from './mulberry32.ts';

/** Deterministic random numbers. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  below: (below: number) => number;
  /** An integer from `min` to `max`. */
  between: (min: number, max: number) => number;
  pick: <T>(list: readonly [T, ...T[]]) => T;
  /** A shuffled copy. */
  shuffled: <T>(list: readonly T[]) => T[];
}

/** Creates the generator for a seed. */
export function seeded(seed: number): Random {
  const next = mulberry32(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (min, max) => min + below(max - min + 1),
    pick: (list) => list[below(list.length)] ?? list[0],
    shuffled: (list) => {
      const rest = [...list];
      return list.flatMap(() => rest.splice(below(rest.length), 1));
    },
  };
}
