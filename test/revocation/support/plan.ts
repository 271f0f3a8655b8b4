import type { Random } from '@tollgate/test-support/random/random';
import { ORDINARY_STORIES } from '../stories/ordinary.ts';
import { SPECIAL_STORIES } from '../stories/special.ts';
import { TROUBLES } from '../stories/troubles.ts';
import type { World } from './world.ts';

/** Something that happens: its name, and what it chooses at random by. */
export interface Happening {
  name: string;
  seed: number;
  run: (world: World, random: Random) => Promise<unknown>;
}

export interface Plan {
  /** What operators do, in so many lanes next to one another; each is begun again when it is through. */
  lanes: Happening[][];
  /** What befalls Redis and connections, and what happens only then: one after the other. */
  troubles: Happening[];
}

/** Plans a run: every special story and every trouble but those left out, as often as there are rounds. */
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
