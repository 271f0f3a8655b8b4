import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@tollgate/local';
import type { Random } from '@tollgate/test-support/random/random';
import type { KnownValue } from '../support/book.ts';
import { DATABASE } from '../support/clocks.ts';
import { chat, MODELS, type World } from '../support/world.ts';

/** Delay of a slow connection; pings are still confirmed before an ingress abandons its stream. */
const SLOW_MS = 200;
/** Maximum time until an ingress is reconnected to auth. */
const BACK_WITHIN_MS = 4_000;
/** Maximum time until a stream uses another link. */
const MOVED_WITHIN_MS = 300;
/** Maximum time until a request reaches an ingress. */
const ARRIVED_WITHIN_MS = 150;
/** Maximum time of a response that needs no call to auth. */
const BELIEVED_WITHIN_MS = 100;
/** Number of attempts at something that depends on a race. */
const MAX_TRIES = 4;
/** Keys that are deleted while ingresses are cut off, and used one after the other. */
const CUT_OFF_KEYS = 5;
/** Keys that have changed since an old dump. */
const NARROWED_KEYS = 3;
/** A little longer than an ingress avoids Redis after it failed. */
const PAUSED_MS = 250;
/** Maximum time until Redis is reachable again. */
const RECONNECTED_WITHIN_MS = 10_000;

/** Stories that need a certain order of events, enforced by intercepting messages between processes. */
export const SPECIAL_STORIES = {
  /** Ingresses that are cut off from auth stop trusting their records before the call returns. */
  'delete while ingresses are cut off': async (world: World, random: Random) => {
    await cutOff(world, random, await cachedKeys(world, 2));
  },

  /** The same while auth cannot remove records from Redis, where ingresses find them during and after the cut. */
  'delete while ingresses are cut off, and auth from Redis': async (world: World, random: Random) => {
    const values = await cachedKeys(world, 2 + CUT_OFF_KEYS);
    await world.links.during(world.toRedis('auths'), { kind: 'cut' }, () => cutOff(world, random, values));
  },

  /** The silence of an ingress is not measured by the database's clock, which may jump, for example in a failover. */
  'delete while ingresses are cut off, and the clock of the database jumps': async (world: World) => {
    const value = await world.cachedKey();
    await world.links.during(world.toRedis('auths'), { kind: 'cut' }, () =>
      world.links.during(world.toAuth(), { kind: 'stalled' }, () =>
        world.clocks.during(DATABASE, world.trustMs * 3, async () => {
          await world.operator.deleteKey(value.key);
          await world.probe(value);
        }),
      ),
    );
    await world.probe(value);
  },

  /** A restarted auth does not know how long an ingress has been silent, and waits from its start. */
  'kill the auth that waits for ingresses that are cut off': async (world: World) => {
    const [auth] = world.operator.auths;
    const value = await world.cachedKey();
    if (auth === undefined) return;
    await world.links.during(world.toAuth(), { kind: 'stalled' }, async () => {
      const deletion = world.operator.deleteKey(value.key, 0);
      await delay(world.trustMs / 6);
      await world.processes.bounce(auth, 0);
      await deletion;
      await world.probe(value);
    });
    await world.probe(value);
  },

  /** No call waits for ingresses that have been cut off for long: they trust not even a record just read from Redis. */
  'delete when ingresses have long been cut off': async (world: World) => {
    const [first, ...others] = await cachedKeys(world, CUT_OFF_KEYS);
    await world.links.during(world.toAuth(), { kind: 'cut' }, async () => {
      // Returns when nothing is trusted any more.
      if (first !== undefined) await world.operator.deleteKey(first.key);
      const requested: Promise<unknown>[] = [];
      for (const value of others) {
        // An ingress that trusts Redis has responded by then; others wait for auth until they give up.
        const before = world.probe(value, [{ kind: 'models' }]);
        await Promise.race([before, delay(BELIEVED_WITHIN_MS)]);
        await world.operator.deleteKey(value.key);
        requested.push(before, world.probe(value));
      }
      await Promise.all(requested);
    });
  },

  /** The call waits for an ingress that receives the change late. */
  'delete while ingresses receive changes late': async (world: World) => {
    const [dead, narrowed] = await Promise.all([world.warmKey(), world.warmKey()]);
    await world.links.during(world.toAuth(), { kind: 'slow', byMs: SLOW_MS }, async () => {
      await world.operator.deleteKey(dead.key);
      await world.probe(dead);
      await world.operator.setModels(narrowed.key, [MODELS[1]]);
      await world.probe(narrowed, [chat()]);
    });
  },

  /** A record read before a deletion reaches Redis after it. */
  'delete while a record is on its way': async (world: World) => {
    const { value, other, release } = await recordOnItsWay(world);
    await world.operator.deleteKey(value.key, other);
    await release();
    await world.look(value);
    await world.probe(value);
  },

  /** The same with a change. */
  'change a key while its record is on its way': async (world: World) => {
    const { value, other, release } = await recordOnItsWay(world);
    await world.operator.setModels(value.key, [MODELS[1]], other);
    await release();
    await world.look(value);
    await world.probe(value, [chat()]);
  },

  /** A response about a key from before it was changed reaches the ingress after the call has returned. */
  'change a key while a response is in flight': async (world: World) => {
    await Promise.all(world.ingresses.map((ingress) => answerOnItsWay(world, ingress)));
  },

  /** A lookup from before a deletion is still open after it, at an ingress that does not receive the deletion. */
  'delete a key while a lookup is open': async (world: World) => {
    let left = world.ingresses;
    for (let tries = 0; left.length > 0 && tries < MAX_TRIES; tries += 1) left = await questionsOpen(world, left);
  },

  /** Redis is restored with its entries from before keys were deleted and changed. */
  'bring an old dump back': async (world: World, random: Random) => {
    const [dead, suspended, rotated] = await Promise.all([world.cachedKey(), world.cachedKey(), world.cachedKey()]);
    const narrowed = await cachedKeys(world, NARROWED_KEYS);
    const dump = await world.redis.save();
    await world.operator.deleteKey(dead.key);
    for (const value of narrowed) await world.operator.setModels(value.key, [MODELS[1]]);
    await world.operator.suspend(suspended.key.account);
    const next = await world.operator.rotateKey(rotated.key, 0);
    const probe = () => Promise.all([dead, suspended, rotated, next].map((value) => world.probe(value)));
    // Auth would overwrite the old records, so ingresses must see them first.
    await world.links.during(world.toRedis('auths'), { kind: 'cut' }, async () => {
      await world.redis.restart(random.below(300), dump);
      await ingressesReachRedis(world);
      await probe();
      // After a failure of Redis an ingress calls auth for a while: each ingress sees one of these in Redis.
      for (const value of narrowed) {
        await world.probe(value, [chat()]);
        await delay(PAUSED_MS);
      }
    });
    await probe();
    await Promise.all(narrowed.map((value) => world.probe(value, [chat()])));
    await world.operator.resume(suspended.key.account);
    await world.probe(suspended);
  },

  /** Without Redis no record is removed there, and none is trusted later. */
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

function cachedKeys(world: World, count: number): Promise<KnownValue[]> {
  return Promise.all(Array.from({ length: count }, () => world.cachedKey()));
}

/** Deletes keys and changes one while ingresses are cut off from auth, and probes them until they are reconnected. */
async function cutOff(world: World, random: Random, values: readonly KnownValue[]): Promise<void> {
  const [dead, narrowed, ...unasked] = values;
  if (dead === undefined || narrowed === undefined) throw new Error('there are too few keys');
  const probeDead = () => world.probe(dead);
  const probeNarrowed = () => world.probe(narrowed, [chat()]);
  const probe = () => Promise.all([probeDead(), probeNarrowed()]);
  const kind = random.pick<'stalled' | 'cut'>(['stalled', 'cut']);
  // An earlier story may have cut them off, too, and what is not trusted shows nothing.
  await world.untilPinging();
  await world.links.during(world.toAuth(), { kind }, () =>
    // Each key is used as soon as its own call has returned.
    Promise.all([
      world.operator.deleteKey(dead.key).then(probeDead),
      world.operator.setModels(narrowed.key, [MODELS[1]]).then(probeNarrowed),
      ...unasked.map((value) => world.operator.deleteKey(value.key)),
    ]),
  );
  // Once reconnected to auth, ingresses receive the changes that they missed, and only then trust their records. Keys
  // for which they called auth before are known from its response, so each probe uses another one.
  const begunAt = performance.now();
  for (let ms = 0; ms < BACK_WITHIN_MS; ms = performance.now() - begunAt) {
    if (unasked.length > 0 && ms > BACK_WITHIN_MS * (1 - unasked.length / CUT_OFF_KEYS)) {
      const next = unasked.pop();
      if (next !== undefined) await world.probe(next);
    }
    await probe();
    await delay(50);
  }
}

/**
 * Makes an ingress look up a new key, and holds the record on its way from auth to Redis.
 *
 * @returns the index of an auth whose record is not held, and a function that releases the record and waits for it
 */
async function recordOnItsWay(world: World): Promise<{
  value: KnownValue;
  other: number;
  release: () => Promise<void>;
}> {
  const names = world.toRedis('auths');
  for (let tries = 1; ; tries += 1) {
    const value = await world.operator.createKey(await world.operator.createAccount());
    const holds = names.map((name) => world.links.get(name).holdFrom(value.key.keyId));
    const requested = world.requests.send(world.ingresses[0] ?? '', value, { kind: 'models' });
    // Auth responds once it has given up on Redis.
    const caught = await Promise.race([
      ...holds.map((hold, place) => hold.caught.then(() => place)),
      requested.then(() => undefined),
    ]);
    const over = caught === undefined ? undefined : world.disturbances.begin(names[caught] ?? '', 'held');
    const release = async () => {
      for (const hold of holds) hold.release();
      over?.();
      // When Redis responds to the second, it has read everything sent before the first.
      await world.redis.client.ping();
      await world.redis.client.ping();
    };
    await requested;
    if (caught !== undefined || tries === MAX_TRIES)
      return { value, other: ((caught ?? 0) + 1) % names.length, release };
    await release();
  }
}

/** Changes a key while the response to an ingress's first lookup of it is held, on each of its links in turn. */
async function answerOnItsWay(world: World, ingress: string): Promise<void> {
  for (const link of world.toAuth(ingress)) {
    // The stream of changes moves to another link, so it reports the change while the response is held.
    await world.links.during([link], { kind: 'cut' }, () => delay(MOVED_WITHIN_MS));
    const until = performance.now() + BACK_WITHIN_MS;
    while (!(await answerHeld(world, ingress, link)) && performance.now() < until) await delay(20);
  }
}

/** @returns whether the response came over this link, and was held */
async function answerHeld(world: World, ingress: string, link: string): Promise<boolean> {
  const value = await world.operator.createKey(await world.operator.createAccount());
  const hold = world.links.get(link).holdFrom(value.key.keyId, 'back');
  const over = world.disturbances.begin(link, 'held');
  try {
    const requested = world.probe(value, [chat(), chat()], [ingress]);
    const isHeld = await Promise.race([hold.caught.then(() => true), requested.then(() => false)]);
    if (!isHeld) return false;
    await world.operator.setModels(value.key, [MODELS[1]]);
    hold.release();
    await requested;
  } finally {
    hold.release();
    over();
  }
  await world.probe(value, [chat(), chat()], [ingress]);
  return true;
}

/**
 * Deletes a key while ingresses wait for a response about it and receive no changes, and sends them requests again.
 *
 * @returns the ingresses that did not wait as long as the call
 */
async function questionsOpen(world: World, ingresses: readonly string[]): Promise<string[]> {
  const value = await world.operator.createKey(await world.operator.createAccount());
  const questions = ingresses.map((ingress) => {
    const links = world.toAuth(ingress).map((name) => ({ name, over: world.disturbances.begin(name, 'held') }));
    const holds = links.map(({ name }) => world.links.get(name).holdFrom(value.key.keyId, 'back'));
    const question = { ingress, links, holds, isOpen: true, requested: world.probe(value, [chat()], [ingress]) };
    void question.requested.then(() => {
      question.isOpen = false;
    });
    return question;
  });
  const links = questions.flatMap((question) => question.links);
  const release = () => {
    for (const hold of questions.flatMap(({ holds }) => holds)) hold.release();
    for (const { name } of links) world.links.get(name).set({ kind: 'open' });
  };
  try {
    await Promise.all(
      questions.map(({ holds, requested }) => Promise.race([...holds.map((hold) => hold.caught), requested])),
    );
    // No link delivers changes any more.
    for (const { name } of links) world.links.get(name).set({ kind: 'stalled' });
    await world.operator.deleteKey(value.key);
    const late = world.probe(value, [{ kind: 'models' }, chat()], ingresses);
    await delay(ARRIVED_WITHIN_MS);
    const responded = questions.filter(({ isOpen }) => !isOpen).map(({ ingress }) => ingress);
    release();
    await Promise.all([...questions.map(({ requested }) => requested), late]);
    return responded;
  } finally {
    release();
    for (const { over } of links) over();
  }
}

/** Waits until every ingress has a connection to Redis. */
async function ingressesReachRedis(world: World): Promise<void> {
  const connected = async () => {
    const list = String(await world.redis.client.client('LIST'));
    return list.split('name=tollgate-ingress').length > world.ingresses.length;
  };
  await waitUntil(connected, { what: 'waiting for ingresses to reach Redis', timeoutMs: RECONNECTED_WITHIN_MS });
}
