import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@tollgate/local';
import type { Random } from '../../faults/support/random.ts';
import type { KnownValue } from '../support/book.ts';
import { chat, MODELS, type World } from '../support/world.ts';

/** How late a slow connection passes everything on: a ping is answered before an ingress gives its stream up. */
const SLOW_MS = 200;
/** How long a piece is waited for that a link is to hold. */
const CAUGHT_WITHIN_MS = 3_000;
/** How long an ingress may take to hear from auth again. */
const BACK_WITHIN_MS = 3_000;
/** How long Redis may take to be reached again. */
const RECONNECTED_WITHIN_MS = 10_000;

/** What happens only in a certain order of things, which is made by getting between processes. */
export const SPECIAL_STORIES = {
  /** Ingresses that no longer hear from auth stop trusting what they know before the call returns. */
  'delete while ingresses are cut off': async (world: World, random: Random) => {
    const [dead, narrowed] = await Promise.all([world.warmKey(), world.warmKey()]);
    const probe = () => Promise.all([world.probe(dead), world.probe(narrowed, [chat()])]);
    const kind = random.pick<'stalled' | 'cut'>(['stalled', 'cut']);
    await world.links.during(world.toAuth(), { kind }, async () => {
      await Promise.all([world.operator.deleteKey(dead.key), world.operator.setModels(narrowed.key, [MODELS[1]])]);
      await probe();
    });
    // Once they hear from auth again they learn what they have missed, and trust what they know only then.
    for (const until = performance.now() + BACK_WITHIN_MS; performance.now() < until; ) {
      await probe();
      await delay(50);
    }
  },

  /** The call waits for an ingress that hears of it late. */
  'delete while ingresses hear late': async (world: World) => {
    const [dead, narrowed] = await Promise.all([world.warmKey(), world.warmKey()]);
    await world.links.during(world.toAuth(), { kind: 'slow', byMs: SLOW_MS }, async () => {
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
    await Promise.all(world.ingresses.map((ingress) => answerOnItsWay(world, ingress)));
  },

  /** A question that was asked before a deletion is still open after it, at an ingress that does not hear of it. */
  'delete a key while a question is open': async (world: World) => {
    const value = await world.operator.createKey(await world.operator.createAccount());
    const links = world.toAuth();
    const overs = links.map((link) => world.disturbances.begin(link));
    const holds = links.map((link) => world.links.get(link).holdFrom(value.key.keyId, 'back'));
    const release = () => {
      for (const hold of holds) hold.release();
    };
    try {
      // Asked several times, so that each of the links holds an answer and none brings news any more.
      const open = world.probe(value, [chat()]);
      await Promise.race([Promise.any(holds.map((hold) => hold.caught)), open]);
      for (const link of links) world.links.get(link).set({ kind: 'stalled' });
      await world.operator.deleteKey(value.key);
      const late = world.probe(value, [{ kind: 'models' }, chat()]);
      await delay(20);
      release();
      for (const link of links) world.links.get(link).set({ kind: 'open' });
      await Promise.all([open, late]);
    } finally {
      release();
      for (const link of links) world.links.get(link).set({ kind: 'open' });
      for (const over of overs) over();
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
    const probe = () =>
      Promise.all([
        ...[dead, suspended, rotated, next].map((value) => world.probe(value)),
        world.probe(narrowed, [chat()]),
      ]);
    // Auth would write what it knows over the old records: ingresses see them first.
    await world.links.during(world.toRedis('auths'), { kind: 'cut' }, async () => {
      await world.redis.restart(random.below(300), dump);
      await ingressesReachRedis(world);
      await probe();
    });
    await probe();
    await world.operator.resume(suspended.key.account);
    await world.probe(suspended);
  },

  /** Without Redis nothing is taken away there, and nothing is believed of it later. */
  'delete while auth cannot reach Redis': async (world: World, random: Random) => {
    const [dead, narrowed] = await Promise.all([world.warmKey(), world.warmKey()]);
    const probe = () => Promise.all([world.probe(dead), world.probe(narrowed, [chat()])]);
    const kind = random.pick<'stalled' | 'cut'>(['stalled', 'cut']);
    await world.links.during(world.toRedis('auths'), { kind }, async () => {
      await Promise.all([world.operator.deleteKey(dead.key), world.operator.setModels(narrowed.key, [MODELS[1]])]);
      await probe();
    });
    await probe();
  },
} as const;

/**
 * Has an ingress ask for a new key, and holds the record on its way from auth to Redis.
 *
 * @returns the place of an auth whose record is not held, and what lets it go on and waits until it is through
 */
async function recordOnItsWay(world: World): Promise<{
  value: KnownValue;
  other: number;
  release: () => Promise<void>;
}> {
  const value = await world.operator.createKey(await world.operator.createAccount());
  const names = world.toRedis('auths');
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
    // Redis takes what has come before what comes now.
    await delay(100);
  };
  return { value, other: caught === undefined ? 0 : (caught + 1) % names.length, release };
}

/** Changes a key while the answer to an ingress's first question about it is held, on each of its links in turn. */
async function answerOnItsWay(world: World, ingress: string): Promise<void> {
  for (const link of world.toAuth(ingress)) {
    const value = await world.operator.createKey(await world.operator.createAccount());
    const hold = world.links.get(link).holdFrom(value.key.keyId, 'back');
    const over = world.disturbances.begin(link);
    try {
      const asked = world.probe(value, [chat(), chat()], [ingress]);
      await Promise.race([hold.caught, asked]);
      await world.operator.setModels(value.key, [MODELS[1]]);
      hold.release();
      await asked;
    } finally {
      hold.release();
      over();
    }
    await world.probe(value, [chat(), chat()], [ingress]);
  }
}

/** Waits until as many ingresses as there are have a connection to Redis. */
async function ingressesReachRedis(world: World): Promise<void> {
  const connected = async () => {
    const list = String(await world.redis.client.client('LIST'));
    return list.split('name=tollgate-ingress').length > world.ingresses.length;
  };
  await waitUntil(connected, { what: 'waiting for ingresses to reach Redis', timeoutMs: RECONNECTED_WITHIN_MS });
}
