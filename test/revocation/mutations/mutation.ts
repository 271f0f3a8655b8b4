import type { MutatedCode } from '@tollgate/test-support/mutations/mutated-code';
import type { ORDINARY_STORIES } from '../stories/ordinary.ts';
import type { SPECIAL_STORIES } from '../stories/special.ts';
import type { BrokenPromise } from '../support/judge.ts';

export type StoryName = keyof typeof ORDINARY_STORIES | keyof typeof SPECIAL_STORIES;

/** A planted bug that breaks a safeguard. */
export interface Mutation extends MutatedCode {
  /**
   * The process that runs the broken code: an ingress, an auth that operators call, or an auth that only an ingress of
   * its own calls.
   */
  process: 'ingress' | 'auth of operators' | 'auth of an ingress';
  /** Also applied in the short mode. */
  inShort?: true;
  /** The promise that it breaks in one of these stories. */
  promise: BrokenPromise;
  stories: readonly StoryName[];
}
