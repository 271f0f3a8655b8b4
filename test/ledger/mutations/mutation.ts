import type { MutatedCode } from '@tollgate/test-support/mutations/edits';

/** A planted bug that the checker must notice. */
export interface Mutation extends MutatedCode {
  /** The kind of histories that notice it, and their first seed. */
  histories: 'calls' | 'system' | 'hazards';
  seed: number;
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
