import { seeded } from '@tollgate/test-support/random/random';
import { type Finding, judge } from './judge.ts';
import { startLoad } from './load.ts';
import type { Happening, Plan } from './plan.ts';
import type { World } from './world.ts';

/**
 * Time after the end of a disturbance in which 503 is accepted: gRPC reconnects (at least every 2 s), and earlier calls
 * time out (2 s).
 */
export const GRACE_MS = 4_500;
/** Valid keys that never change, so that some are always served. */
const UNTOUCHED = 4;

export interface RunOptions {
  seed: number;
  clients: number;
  pauseMs: number;
  /** Minimum number of requests; the run continues after its plan until it is reached. */
  requests: number;
}

/** Runs a plan under load to its end. */
export async function run(world: World, plan: Plan, options: RunOptions): Promise<void> {
  for (let count = 0; count < UNTOUCHED; count += 1) await world.warmKey();
  const load = startLoad(world, options);
  let done = false;
  const lane = async (happenings: readonly Happening[]) => {
    while (!done) {
      for (const happening of happenings) if (!done) await happen(world, happening);
    }
  };
  const troubled = async () => {
    try {
      for (const trouble of plan.troubles) await happen(world, trouble);
      while (world.requests.sent.length < options.requests) {
        for (const trouble of plan.troubles) {
          if (world.requests.sent.length < options.requests) await happen(world, trouble);
        }
      }
    } finally {
      done = true;
    }
  };
  try {
    await Promise.all([troubled(), ...plan.lanes.map(lane)]);
  } finally {
    done = true;
    await load.stop();
  }
  for (const value of world.used) await world.look(value);
}

async function happen(world: World, { name, seed, run: story }: Happening): Promise<void> {
  try {
    await story(world, seeded(seed));
  } catch (error) {
    throw new Error(`"${name}" could not be carried out`, { cause: error });
  }
}

/** All problems of the responses. */
export function findingsOf(world: World): Finding[] {
  const { requests, tallies, disturbances } = world;
  return judge({ sent: requests.sent, tallies, disturbances, graceMs: GRACE_MS });
}
