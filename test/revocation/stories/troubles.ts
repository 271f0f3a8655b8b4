import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@tollgate/test-support/random/random';
import { DATABASE } from '../support/clocks.ts';
import type { DisturbanceKind } from '../support/disturbances.ts';
import type { World } from '../support/world.ts';

/** Redis, connections and processes fail at random, and clocks jump, while keys are used and changed. */
export const TROUBLES = {
  'empty Redis': async (world: World) => {
    await world.redis.flush();
  },
  'restart Redis': async (world: World, random: Random) => {
    await world.redis.restart(random.below(1_500));
  },
  'set Redis back': async (world: World, random: Random) => {
    const dump = await world.redis.save();
    await delay(random.between(500, 2_000));
    await world.redis.restart(random.below(500), dump);
  },
  'cut one connection': (world: World, random: Random) => disturbOne(world, random, 'cut'),
  'cut each connection in turn': async (world: World, random: Random) => {
    for (const name of random.shuffled(world.links.names)) {
      await world.links.during([name], { kind: 'cut' }, () => delay(random.between(50, 300)));
    }
  },
  'stall one connection': (world: World, random: Random) => disturbOne(world, random, 'stalled'),
  'slow one connection': (world: World, random: Random) => disturbOne(world, random, 'slow'),
  'cut an ingress off from auth': async (world: World, random: Random) => {
    const ingress = anyOf(random, world.ingresses);
    await disturb(world, random, world.toAuth(ingress), random.pick(['cut', 'stalled']));
  },
  'cut auth off from Redis': async (world: World, random: Random) => {
    await disturb(world, random, world.toRedis('auths'), random.pick(['cut', 'stalled']));
  },
  'cut ingresses off from Redis': async (world: World, random: Random) => {
    await disturb(world, random, world.toRedis('ingresses'), random.pick(['cut', 'stalled']));
  },
  'kill an ingress': async (world: World, random: Random) => {
    await world.processes.bounce(anyOf(random, world.ingresses), random.below(world.trustMs));
  },
  'kill one auth or all': async (world: World, random: Random) => {
    const { auths } = world.operator;
    const killed = random.below(2) === 0 ? auths : [anyOf(random, auths)];
    const downMs = random.below(world.trustMs);
    await Promise.all(killed.map((auth) => world.processes.bounce(auth, downMs)));
  },
  'kill Postgres': async (world: World, random: Random) => {
    await world.processes.bounce('postgres', random.below(500));
  },
  'move the clock of an ingress': (world: World, random: Random) =>
    moveClock(world, random, anyOf(random, world.ingresses)),
  'move the clock of an auth': (world: World, random: Random) =>
    moveClock(world, random, anyOf(random, world.operator.auths)),
  'move the clock of the database': (world: World, random: Random) => moveClock(world, random, DATABASE),
} as const;

/** Moves a clock by more than the trust time, ahead or back. */
async function moveClock(world: World, random: Random, name: string): Promise<void> {
  const byMs = random.pick([1, -1]) * random.between(world.trustMs * 1.5, world.trustMs * 3);
  await world.clocks.during(name, byMs, () => delay(random.between(300, world.trustMs * 1.5)));
}

async function disturbOne(world: World, random: Random, kind: Kind): Promise<void> {
  await disturb(world, random, [anyOf(random, world.links.names)], kind);
}

type Kind = Exclude<DisturbanceKind, 'held' | 'restarted' | 'killed' | 'clock moved'>;

async function disturb(world: World, random: Random, names: readonly string[], kind: Kind): Promise<void> {
  const state = kind === 'slow' ? { kind, byMs: random.between(50, 250) } : { kind };
  await world.links.during(names, state, () => delay(random.between(200, world.trustMs * 2)));
}

function anyOf(random: Random, names: readonly string[]): string {
  const name = names[random.below(names.length)];
  if (name === undefined) throw new Error('there is nothing to choose from');
  return name;
}
