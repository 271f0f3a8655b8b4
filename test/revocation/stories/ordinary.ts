import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@tollgate/test-support/random/random';
import { chat, MODELS, type World } from '../support/world.ts';

/** Requests sent to each ingress at the same time during a limit. */
const FLOOD = 12;
const SHORT_OVERLAP_MS = 1_000;
const LONG_OVERLAP_MS = 600_000;
/** Shortly after the end of an overlap, by any clock. */
const AFTER_OVERLAP_MS = 600;

/** Operators' actions on keys, during any disturbance. */
export const ORDINARY_STORIES = {
  'delete a key': async (world: World, random: Random) => {
    const value = await world.cachedKey();
    await delay(random.below(300));
    await world.operator.deleteKey(value.key);
    await Promise.all([world.probe(value), world.look(value)]);
    await delay(300);
    await world.probe(value);
    await world.look(value);
  },

  'delete a key with keys below it': async (world: World) => {
    const root = await world.warmKey();
    const child = await world.operator.deriveKey(root);
    const grandchild = await world.operator.deriveKey(child);
    // So that every ingress has its record.
    for (let round = 0; round < 3; round += 1) await Promise.all([world.probe(child), world.probe(grandchild)]);
    await world.operator.deleteKey(root.key);
    await Promise.all([root, child, grandchild].map((value) => world.probe(value)));
    await Promise.all([world.look(child), world.look(grandchild)]);
    await delay(300);
    await Promise.all([world.probe(child), world.probe(grandchild)]);
  },

  'take a model from a key': async (world: World) => {
    const [taken, kept] = MODELS;
    const value = await world.cachedKey();
    await world.operator.setModels(value.key, [kept]);
    // Before a new record replaces the old one.
    await world.look(value);
    await world.probe(value, [chat(taken), chat(kept)]);
    await world.operator.setModels(value.key, []);
    await world.probe(value, [chat(taken), chat(kept)]);
    await world.look(value);
  },

  'cap what a key may spend': async (world: World) => {
    const value = await world.warmKey();
    await world.operator.setCapped(value.key, true);
    await world.probe(value);
    await world.operator.setCapped(value.key, false);
    await world.probe(value);
  },

  'limit the requests of a key': async (world: World) => {
    const value = await world.operator.createKey(await world.operator.createAccount());
    await world.probe(value);
    await world.operator.setLimit(value.key, 1);
    const flood = Array.from({ length: FLOOD }, () => chat());
    const accepted = (await world.probe(value, flood)).filter(({ status }) => status === 200).length;
    // One per minute and a burst of one. While Redis is down, each ingress counts separately; an emptied Redis starts over.
    world.tallies.push({ value, accepted, max: world.ingresses.length + 3 });
    await world.operator.setLimit(value.key, undefined);
    await world.probe(value);
    world.used.push(value);
  },

  'rotate a key': async (world: World) => {
    const first = await world.warmKey();
    const { key } = first;
    const second = await world.operator.rotateKey(key, 0);
    await Promise.all([world.probe(first), world.probe(second)]);
    await world.look(first);
    const third = await world.operator.rotateKey(key, LONG_OVERLAP_MS);
    await Promise.all([world.probe(second), world.probe(third)]);
    const fourth = await world.operator.rotateKey(key, SHORT_OVERLAP_MS);
    await Promise.all([second, third, fourth].map((value) => world.probe(value)));
    await world.look(second);
    await delay(SHORT_OVERLAP_MS + AFTER_OVERLAP_MS);
    await Promise.all([third, fourth].map((value) => world.probe(value)));
    world.used.push(fourth);
  },

  'suspend an account': async (world: World) => {
    const account = await world.operator.createAccount();
    const [one, other] = await Promise.all([world.warmKey(account), world.warmKey(account)]);
    await world.operator.suspend(account);
    await Promise.all([world.probe(one), world.probe(other)]);
    await world.look(one);
    await world.operator.resume(account);
    await Promise.all([world.probe(one), world.probe(other)]);
    await world.operator.suspend(account);
    await world.operator.deleteKey(one.key);
    await world.probe(one);
    await world.operator.resume(account);
    await Promise.all([world.probe(one), world.probe(other)]);
    await world.look(one);
  },
} as const;
