import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../faults/support/random.ts';
import { chat, MODELS, type World } from '../support/world.ts';

/** How late a slow connection passes everything on. */
const SLOW_MS = 400;
/** How long a piece is waited for that a link is to hold. */
const CAUGHT_WITHIN_MS = 3_000;

/** What happens only in a certain order of things, which is made by getting between processes. */
export const SPECIAL_STORIES = {
  /** Ingresses that no longer hear from auth have to stop trusting what they know before the call returns. */
  'delete while ingresses are cut off': async (world: World, random: Random) => {
    const [dead, narrowed] = await Promise.all([world.warmKey(), world.warmKey()]);
    const kind = random.pick<'stalled' | 'cut'>(['stalled', 'cut']);
    await world.links.during(world.between('ingress', 'auth'), { kind }, async () => {
      await Promise.all([world.operator.deleteKey(dead.key), world.operator.setModels(narrowed.key, [MODELS[1]])]);
      await Promise.all([world.probe(dead), world.probe(narrowed, [chat()])]);
    });
    await Promise.all([world.probe(dead), world.probe(narrowed, [chat()])]);
  },

  /** The call has to wait for an ingress that hears of it late. */
  'delete while ingresses hear late': async (world: World) => {
    const [dead, narrowed] = await Promise.all([world.warmKey(), world.warmKey()]);
    await world.links.during(world.between('ingress', 'auth'), { kind: 'slow', byMs: SLOW_MS }, async () => {
      await world.operator.deleteKey(dead.key);
      await world.probe(dead);
      await world.operator.setModels(narrowed.key, [MODELS[1]]);
      await world.probe(narrowed, [chat()]);
    });
  },

  /** A record read before a deletion reaches Redis after it, and after Redis was emptied, its tombstone with it. */
  'delete while a record is on its way': async (world: World) => {
    const { value, other, release } = await recordOnItsWay(world);
    await world.operator.deleteKey(value.key, other);
    await world.redis.flush();
    await release();
    await world.look(value);
    await world.probe(value);
  },

  /** The same with a change, which leaves no tombstone. */
  'change a key while its record is on its way': async (world: World) => {
    const { value, other, release } = await recordOnItsWay(world);
    await world.operator.setModels(value.key, [MODELS[1]], other);
    await release();
    await world.look(value);
    await world.probe(value, [chat()]);
  },

  /** An answer about a key from before it was changed reaches the ingress after the call has returned. */
  'change a key while an answer is on its way': async (world: World) => {
    for (const link of world.from(world.ingresses[0] ?? '', 'auth')) {
      const value = await world.operator.createKey(await world.operator.createAccount());
      const hold = world.links.get(link).holdFrom(value.key.keyId, 'back');
      const over = world.disturbances.begin(link);
      try {
        const asked = world.probe(value, [chat(), chat()], [world.ingresses[0] ?? '']);
        await Promise.race([hold.caught, asked]);
        await world.operator.setModels(value.key, [MODELS[1]]);
        hold.release();
        await asked;
      } finally {
        hold.release();
        over();
      }
      await world.probe(value, [chat(), chat()]);
    }
  },

  /** Redis comes back with what it held before keys were deleted and changed. */
  'bring an old dump back': async (world: World, random: Random) => {
    const values = await Promise.all([world.warmKey(), world.warmKey(), world.warmKey(), world.warmKey()]);
    const [dead, narrowed, suspended, rotated] = values;
    const dump = await world.redis.save();
    await world.operator.deleteKey(dead.key);
    await world.operator.setModels(narrowed.key, [MODELS[1]]);
    await world.operator.suspend(suspended.key.account);
    const next = await world.operator.rotateKey(rotated.key, 0);
    await world.redis.restart(random.below(300), dump);
    // As soon as they are connected again, and before.
    for (let round = 0; round < 6; round += 1) {
      await Promise.all([
        ...[dead, suspended, rotated, next].map((value) => world.probe(value)),
        world.probe(narrowed, [chat()]),
      ]);
      await delay(100);
    }
    await world.operator.resume(suspended.key.account);
    await world.probe(suspended);
  },

  /** Without Redis nothing is taken away there, and nothing is believed of it later. */
  'delete while auth cannot reach Redis': async (world: World, random: Random) => {
    const [dead, narrowed] = await Promise.all([world.warmKey(), world.warmKey()]);
    const kind = random.pick<'stalled' | 'cut'>(['stalled', 'cut']);
    await world.links.during(world.between('auth', 'redis'), { kind }, async () => {
      await Promise.all([world.operator.deleteKey(dead.key), world.operator.setModels(narrowed.key, [MODELS[1]])]);
      await Promise.all([world.probe(dead), world.probe(narrowed, [chat()])]);
    });
    await Promise.all([world.probe(dead), world.probe(narrowed, [chat()])]);
  },
} as const;

/**
 * Has an ingress ask for a new key, and holds the record on its way from auth to Redis.
 *
 * @returns the place of the auth that has not got the record, and what lets it go on and waits until it is through
 */
async function recordOnItsWay(world: World) {
  const value = await world.operator.createKey(await world.operator.createAccount());
  const names = world.between('auth', 'redis');
  const holds = names.map((name) => world.links.get(name).holdFrom(value.key.keyId));
  await world.requests.send(world.ingresses[0] ?? '', value, { kind: 'models' });
  const caught = await Promise.race([
    ...holds.map((hold, place) => hold.caught.then(() => place)),
    delay(CAUGHT_WITHIN_MS).then(() => undefined),
  ]);
  const over = caught === undefined ? undefined : world.disturbances.begin(names[caught] ?? '');
  const release = async () => {
    for (const hold of holds) hold.release();
    over?.();
    // Auth answers one thing after another on its connection: what it is asked now is answered after what was held.
    await delay(200);
  };
  return { value, other: caught === undefined ? 0 : (caught + 1) % names.length, release };
}
