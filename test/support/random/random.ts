import { mulberry32 } from './mulberry32.ts';

/** Numbers that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below: (below: number) => number;
  /** A whole number from `least` to `most`. */
  between: (min: number, max: number) => number;
  pick: <T>(list: readonly [T, ...T[]]) => T;
  /** A copy in another order. */
  shuffled: <T>(list: readonly T[]) => T[];
}

/** The generator of a seed. */
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
