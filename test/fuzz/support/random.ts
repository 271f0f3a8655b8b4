import { type Random, seeded } from '@tollgate/test-support/random/random';

export type { Random };

/** Parts of a case that draw their own random numbers, so that a change of one leaves the others as they are. */
export const PARTS = { request: 1, client: 2, upstream: 3 } as const;

/** The generator of one part of one case: the same for the same seed, case and part. */
export function randomOf(seed: number, number: number, part: number): Random {
  let mixed = 0x811c9dc5;
  for (const each of [seed, number, part]) {
    mixed = Math.imul(mixed ^ each, 0x01000193);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
    mixed ^= mixed >>> 12;
  }
  return seeded(mixed);
}

/** True in so many of a thousand cases. */
export function chance(random: Random, perMille: number): boolean {
  return random.below(1_000) < perMille;
}

/** One of several, each as often as its weight says. */
export function weighted<T>(random: Random, choices: readonly (readonly [weight: number, value: T])[]): T {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  let at = random.below(total);
  for (const [weight, value] of choices) {
    at -= weight;
    if (at < 0) return value;
  }
  throw new Error('there is nothing to choose from');
}
