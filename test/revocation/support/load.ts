import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '@tollgate/test-support/random/random';
import { anyAsk, type World } from './world.ts';

/** Number of the latest keys that clients use, in addition to the first ones. */
const LATEST = 24;

export interface LoadOptions {
  seed: number;
  clients: number;
  /** Maximum pause of a client between two requests. */
  pauseMs: number;
}

/** Clients that use valid and dead keys at all ingresses, in parallel, until they are stopped. */
export function startLoad(world: World, { seed, clients, pauseMs }: LoadOptions): { stop: () => Promise<void> } {
  let stopped = false;
  const client = async (number: number) => {
    const random = seeded(seed * 1_000 + number);
    while (!stopped) {
      const { used, ingresses, requests } = world;
      const places = Math.min(used.length, LATEST);
      const value =
        random.below(4) === 0
          ? used[random.below(Math.min(used.length, 4))]
          : used[used.length - 1 - random.below(places)];
      const ingress = ingresses[random.below(ingresses.length)];
      if (value !== undefined && ingress !== undefined) await requests.send(ingress, value, anyAsk(random));
      await delay(random.below(pauseMs + 1));
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return {
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}
