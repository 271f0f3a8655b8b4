/** A fault put into the code on purpose, which the checker has to notice. */
export interface Mutation {
  /** What is broken. */
  name: string;
  edits: readonly Edit[];
  /** The kind of histories that notice it, and the seed they begin with. */
  histories: 'calls' | 'system' | 'hazards';
  seed: number;
}

export interface Edit {
  /** From the repository's root. */
  file: string;
  /** Occurs exactly once in it. */
  find: string;
  replace: string;
}

/** A seed whose first histories notice most mutations. */
export const FIRST_SEED = 100;

/** A mutation of one place. */
export function mutation(
  name: string,
  [file, find, replace]: readonly [file: string, find: string, replace: string],
  histories: Mutation['histories'],
  seed = FIRST_SEED,
): Mutation {
  return { name, edits: [{ file, find, replace }], histories, seed };
}
