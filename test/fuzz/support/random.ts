import { type Random, seeded } from '@tollgate/test-support/random/random';

export type { Random };

/** Parts of a case with separate random numbers, so that changing one part does not affect the others. */
export const PARTS = { request: 1, client: 2, upstream: 3 } as const;

/** The generator for one part of a case, deterministic in seed, case and part. */
export function randomOf(seed: number, number: number, part: number): Random {
  let mixed = 0x811c9dc5;
  for (const each of [seed, number, part]) {
    mixed = Math.imul(mixed ^ each, 0x01000193);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
    mixed ^= mixed >>> 12;
  }
  return seeded(mixed);
}

/** True in this many of a thousand cases. */
export function chance(random: Random, perMille: number): boolean {
  return random.below(1_000) < perMille;
}

/** One of several, by weight. */
export function weighted<T>(random: Random, choices: readonly (readonly [weight: number, value: T])[]): T {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  let at = random.below(total);
  for (const [weight, value] of choices) {
    at -= weight;
    if (at < 0) return value;
  }
  throw new Error('there is nothing to choose from');
}
