import { seeded } from '@tollgate/test-support/random/random';
import { chooseSeed } from '@tollgate/test-support/random/seed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DisturbanceKind } from './support/disturbances.ts';
import type { BrokenPromise } from './support/judge.ts';
import { planRun } from './support/plan.ts';
import { renderReport } from './support/report.ts';
import { findingsOf, run } from './support/run.ts';
import { type System, startSystem } from './support/system.ts';
import type { World } from './support/world.ts';

const LONG = process.env['LONG'] === '1';
const SEED = chooseSeed(process.env, Date.now());
/** A failure with a seed is never repeated: `.ci/run` takes it for a broken promise, not for a slow machine. */
const FINDING = `SEED=${SEED}`;
const MIN_REQUESTS = LONG ? 100_000 : 5_000;
const LIMIT_MS = LONG ? 30 * 60_000 : 300_000;

/** What the short mode does without, as a special story kills an auth too. */
const ONLY_LONG = ['kill one auth or all'];

let system: System;
let world: World;

beforeAll(async () => {
  process.stdout.write(`The plan of SEED=${SEED}.\n`);
  const begunAt = performance.now();
  system = await startSystem({ ingresses: 3, auths: 2 });
  world = system.world();
  const plan = planRun(seeded(SEED), { lanes: 3, rounds: LONG ? 8 : 1, without: LONG ? [] : ONLY_LONG });
  const died = system.stack.died.then((death): never => {
    throw new Error(`${death.service} ${death.how}, and the test did not kill it:\n${death.lastLines.join('\n')}`);
  });
  const options = { seed: SEED, clients: LONG ? 24 : 12, pauseMs: LONG ? 5 : 10, requests: MIN_REQUESTS };
  await Promise.race([run(world, plan, options), died]);
  process.stdout.write(`${renderReport(world, SEED, (performance.now() - begunAt) / 1_000)}\n`);
}, LIMIT_MS);
afterAll(() => system?.stop());

const broken = (promise: BrokenPromise) =>
  findingsOf(world)
    .filter((finding) => finding.promise === promise)
    .map(({ text }) => text)
    .slice(0, 10);

it('sends and changes the intended amount', () => {
  const { sent } = world.requests;
  expect(sent.length).toBeGreaterThanOrEqual(MIN_REQUESTS);
  expect(world.ingresses).toHaveLength(3);
  for (const status of [200, 401, 503]) expect(sent.some((one) => one.status === status)).toBe(true);
  for (const call of ['create key', 'delete key', 'update key', 'rotate key', 'suspend account', 'resume account'])
    expect(world.operator.calls.get(call)).toBeGreaterThan(5);
});

it('disturbs Redis, and each connection between an ingress, an auth and Redis', () => {
  const { disturbances, links } = world;
  const cut = new Set(disturbances.all.filter(({ kind }) => kind === 'cut').map(({ what }) => what));
  const [ingresses, auths] = [
    ['ingress', 'ingress-2', 'ingress-3'],
    ['auth', 'auth-2'],
  ];
  const toAuth = ingresses.flatMap((ingress) => auths.map((auth) => `${ingress}>${auth}`));
  const toRedis = [...ingresses, ...auths].map((one) => `${one}>redis`);
  expect([...cut].sort()).toEqual([...toAuth, ...toRedis].sort());
  expect([...cut].sort()).toEqual(links.names.sort());
  expect(disturbances.flushes).toBeGreaterThan(0);
  expect(disturbances.restores.length).toBeGreaterThan(0);
  expect(disturbances.all.filter(({ kind }) => kind === 'restarted').length).toBeGreaterThan(
    disturbances.restores.length,
  );
});

it('kills ingresses, auths and Postgres, and moves clocks of each kind', () => {
  const count = (kind: DisturbanceKind, what: RegExp) =>
    world.disturbances.all.filter((one) => one.kind === kind && what.test(one.what)).length;
  for (const killed of [/^ingress/, /^auth/, /^postgres$/]) expect(count('killed', killed)).toBeGreaterThan(0);
  for (const moved of [/of ingress/, /of auth/, /of database/]) expect(count('clock moved', moved)).toBeGreaterThan(0);
});

it('rejects requests that start after the call that forbids them has returned', () => {
  expect(broken('dead keys stay dead'), FINDING).toEqual([]);
});

it('refuses no valid key, and serves keys again once restrictions are lifted', () => {
  expect(broken('valid keys are served'), FINDING).toEqual([]);
});

it('returns 503 only while connections to auth are disturbed', () => {
  expect(broken('available while auth is')).toEqual([]);
});

it('enforces limits as soon as they are set', () => {
  expect(broken('limits hold'), FINDING).toEqual([]);
});

it('returns only explained responses', () => {
  expect(broken('responses are explained'), FINDING).toEqual([]);
});
