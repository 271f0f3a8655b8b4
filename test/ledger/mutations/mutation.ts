import type { MutatedCode } from '@tollgate/test-support/mutations/mutated-code';

/** A planted bug that the checker must notice. */
export interface Mutation extends MutatedCode {
  /** The kind of histories that notice it, and their first seed. */
  histories: 'calls' | 'system' | 'hazards';
  seed: number;
}

/** A planted bug that a test file must notice. */
export interface TestedMutation extends MutatedCode {
  readonly test: string;
}

/** A seed whose first histories notice most mutations. */
export const FIRST_SEED = 100;

/** A mutation of one place. */
export function mutation(
  name: string,
  [folder, at, find, replace]: readonly [folder: string, at: string, find: string, replace: string],
  histories: Mutation['histories'],
  seed = FIRST_SEED,
): Mutation {
  return { name, edits: [{ folder, at, find, replace }], histories, seed };
}
