import { type CopiedTree, copyTree } from '@tollgate/test-support/mutations/copied-tree';
import { seeded } from '@tollgate/test-support/random/random';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_MUTATIONS } from './mutations/list.ts';
import type { Mutation, StoryName } from './mutations/mutation.ts';
import { ORDINARY_STORIES } from './stories/ordinary.ts';
import { SPECIAL_STORIES } from './stories/special.ts';
import type { Finding } from './support/judge.ts';
import { findingsOf } from './support/run.ts';
import { type System, startSystem } from './support/system.ts';
import type { World } from './support/world.ts';

const LONG = process.env['LONG'] === '1';
const LIMIT_MS = LONG ? 400_000 : 170_000;
const MUTATIONS = ALL_MUTATIONS.filter(({ inShort }) => LONG || inShort);
const SEED = 1;
/** The processes are fast enough for the stories once all respond for a new key within this time. */
const QUICK_MS = 500;
const QUICK_WITHIN_MS = 40_000;
/** Unmodified processes: an ingress, and auths. */
const SOUND_INGRESS = 'ingress';
const SOUND_AUTHS = ['auth', 'auth-2'];

/** What ingress and auth run. */
const WORKSPACES = ['proto', 'services/auth', 'services/common', 'services/ingress', 'services/protocols'];

/** A mutation, the processes that run it, and those that expose it. */
interface Case {
  mutation: Mutation;
  tree: CopiedTree;
  ingress: string;
  auth: string | undefined;
}

const cases: Case[] = [];
const trees: CopiedTree[] = [];
const findings = new Map<Mutation, Finding[]>();
let system: System | undefined;
let sound: Finding[];

beforeAll(async () => {
  let ingresses = 1;
  let auths = SOUND_AUTHS.length;
  for (const mutation of MUTATIONS) {
    const tree = copyTree(WORKSPACES);
    trees.push(tree);
    tree.plant(mutation);
    const ingress = mutation.process === 'auth of operators' ? SOUND_INGRESS : `ingress-${++ingresses}`;
    const auth = mutation.process === 'ingress' ? undefined : `auth-${++auths}`;
    cases.push({ mutation, tree, ingress, auth });
  }
  system = await startSystem({
    ingresses,
    auths,
    // So many processes are slow at first, and a record that is not stored in time shows nothing.
    env: { REDIS_TIMEOUT_MS: '1500' },
    checkoutOf: (service) => cases.find((one) => mutatedProcess(one) === service)?.tree.root,
    knows: (ingress, to) => !to.startsWith('auth') || authsOf(ingress).includes(to),
  });
  const { world } = system;
  await quick(world());
  const ofIngresses = cases.filter(({ auth }) => auth === undefined);
  const ingressWorld = world([SOUND_INGRESS, ...ofIngresses.map(({ ingress }) => ingress)], SOUND_AUTHS);
  const others = cases.flatMap((one) => (one.auth === undefined ? [] : [{ ...one, world: worldOf(one, one.auth) }]));
  function worldOf({ mutation, ingress }: Case, auth: string): World {
    // The record is written by the mutated auth, and the key changed through another.
    return world([ingress], mutation.process === 'auth of operators' ? [auth] : [SOUND_AUTHS[0] ?? '', auth]);
  }

  const ordinary = (name: StoryName) => name in ORDINARY_STORIES;
  const storiesOf = (list: readonly Case[]) => [...new Set(list.flatMap(({ mutation }) => mutation.stories))];
  const ofThis = storiesOf(ofIngresses).filter(ordinary);
  await Promise.all(ofThis.map((name) => report(name, ingressWorld)));
  await Promise.all(
    others.flatMap((one) => one.mutation.stories.filter(ordinary).map((name) => report(name, one.world))),
  );
  // What takes connections or Redis away runs sequentially, because the worlds share them.
  for (const name of storiesOf(cases)) {
    if (ordinary(name)) continue;
    const concerned = others.filter(({ mutation }) => mutation.stories.includes(name)).map((one) => one.world);
    if (storiesOf(ofIngresses).includes(name)) concerned.push(ingressWorld);
    for (const one of concerned) await report(name, one);
  }
  const ofIngressWorld = findingsOf(ingressWorld);
  sound = ofIngressWorld.filter(({ ingress }) => ingress === SOUND_INGRESS || ingress === undefined);
  for (const { mutation, ingress } of ofIngresses)
    findings.set(
      mutation,
      ofIngressWorld.filter((finding) => finding.ingress === ingress),
    );
  for (const { mutation, world: own } of others) findings.set(mutation, findingsOf(own));
}, LIMIT_MS);
afterAll(async () => {
  await system?.stop();
  for (const tree of trees) tree.remove();
});

function mutatedProcess({ ingress, auth }: Case): string {
  return auth ?? ingress;
}

/** The auths that an ingress knows: the unmodified ones, or the mutated one that it serves. */
function authsOf(ingress: string): string[] {
  const own = cases.find((one) => one.mutation.process === 'auth of an ingress' && one.ingress === ingress)?.auth;
  return own === undefined ? SOUND_AUTHS : [own];
}

/** Waits until the processes have started in earnest; on a machine that is always busy, for a while. */
async function quick(all: World): Promise<void> {
  for (const until = performance.now() + QUICK_WITHIN_MS; performance.now() < until; ) {
    const value = await all.operator.createKey(await all.operator.createAccount());
    const sent = await all.probe(value, [{ kind: 'models' }]);
    if (sent.every(({ status, beganAt, endedAt }) => status === 200 && endedAt - beganAt < QUICK_MS)) return;
  }
}

async function report(name: StoryName, world: World): Promise<void> {
  const stories: Record<string, (world: World, random: ReturnType<typeof seeded>) => Promise<void>> = {
    ...ORDINARY_STORIES,
    ...SPECIAL_STORIES,
  };
  await stories[name]?.(world, seeded(SEED));
}

it('finds no violation in unmodified code', () => {
  const promises = new Set(MUTATIONS.map(({ promise }) => promise));
  expect(sound.filter(({ promise }) => promises.has(promise))).toEqual([]);
});

it.each(MUTATIONS)('finds: $name', (mutation) => {
  const found = findings.get(mutation)?.map(({ promise, text }) => `${promise}: ${text}`);
  expect(found).toContainEqual(expect.stringContaining(`${mutation.promise}: `));
});
