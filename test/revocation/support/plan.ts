import type { Random } from '@tollgate/test-support/random/random';
import { ORDINARY_STORIES } from '../stories/ordinary.ts';
import { SPECIAL_STORIES } from '../stories/special.ts';
import { TROUBLES } from '../stories/troubles.ts';
import type { World } from './world.ts';

/** A story or trouble to run, and the seed of its random choices. */
export interface Happening {
  name: string;
  seed: number;
  run: (world: World, random: Random) => Promise<unknown>;
}

export interface Plan {
  /** Ordinary stories, in parallel lanes; each lane starts over when it is finished. */
  lanes: Happening[][];
  /** Troubles and special stories, one after the other. */
  troubles: Happening[];
}

/** Plans a run: every special story and every trouble that is not excluded, once per round. */
export function planRun(
  random: Random,
  { lanes, rounds, without = [] }: { lanes: number; rounds: number; without?: readonly string[] },
): Plan {
  const happenings = (named: Record<string, Happening['run']>) =>
    random.shuffled(Object.entries(named)).map(([name, run]) => ({ name, run, seed: random.below(1_000_000_000) }));
  const round = () =>
    random
      .shuffled([...happenings(SPECIAL_STORIES), ...happenings(TROUBLES)])
      .filter(({ name }) => !without.includes(name));
  return {
    lanes: Array.from({ length: lanes }, () => happenings(ORDINARY_STORIES)),
    troubles: Array.from({ length: rounds }, round).flat(),
  };
}
