/** Numbers that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below: (below: number) => number;
  /** A whole number from `least` to `most`. */
  between: (least: number, most: number) => number;
  pick: <T>(list: readonly [T, ...T[]]) => T;
  /** A copy in another order. */
  shuffled: <T>(list: readonly T[]) => T[];
}

/** The generator of a seed: mulberry32, enough for choosing and nothing else. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    pick: (list) => list[below(list.length)] ?? list[0],
    shuffled: (list) => {
      const rest = [...list];
      return list.flatMap(() => rest.splice(below(rest.length), 1));
    },
  };
}
