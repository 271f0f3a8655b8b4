import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, kubectl } from './support/cluster.ts';
import { openTo, type Target } from './support/connections.ts';
import { loadValues, merged } from './support/gateway.ts';
import { images } from './support/images.ts';
import { Release } from './support/release.ts';
import { paymentsValues, StripePod } from './support/stripe-pod.ts';

const PORTS: Record<string, number[]> = {
  ingress: [8_080, 9_464],
  auth: [50_051, 50_052, 9_464],
  ledger: [50_051, 50_052, 9_464],
  router: [50_051, 50_052, 9_464],
  console: [8_070, 9_464],
  payments: [50_051, 50_052, 8_060, 9_464],
  simulator: [8_090],
  postgres: [5_432],
  redis: [6_379],
};
/**
 * All other connections are denied. Everyone may call the ingress and the console by their own policies, but others are
 * restricted by their egress.
 */
const ALLOWED: Record<string, string[]> = {
  ingress: ['auth:50051', 'ledger:50051', 'router:50051', 'redis:6379', 'simulator:8090'],
  auth: ['postgres:5432', 'redis:6379'],
  ledger: ['auth:50051', 'postgres:5432'],
  router: [],
  console: ['auth:50051', 'ledger:50051', 'router:50051', 'payments:50051', 'ingress:8080', 'postgres:5432'],
  payments: ['auth:50051', 'ledger:50051', 'postgres:5432', 'stripe:8092'],
  simulator: [],
  postgres: [],
  redis: [],
};
/** What any pod may call. */
const OPEN = ['console:8070', 'ingress:8080'];
const STRANGERS = 'tollgate-strangers';

const release = new Release();
let stripe: StripePod;
let targets: Target[];

/** An unrelated pod in a namespace. */
async function stranger(namespace: string): Promise<void> {
  const { repository, tag } = images();
  await apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stranger', namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'stranger',
          image: `${repository}/simulator:${tag}`,
          command: ['node', '--eval', 'setInterval(() => {}, 60_000)'],
        },
      ],
    },
  });
  await kubectl('--namespace', namespace, 'wait', '--for=condition=Ready', 'pod/stranger', '--timeout=60s');
}

beforeAll(async () => {
  stripe = await StripePod.start(release);
  await release.install(merged(loadValues(release), paymentsValues()));
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: STRANGERS } });
  await Promise.all([stranger(STRANGERS), stranger(release.namespace)]);
  const pods = (await release.pods()).filter(({ ready, leaving }) => ready && !leaving);
  targets = pods.flatMap(({ component, ip }) =>
    (PORTS[component] ?? []).map((port) => ({ title: `${component}:${port}`, ip, port })),
  );
  targets.push(await stripe.target());
});
afterAll(async () => {
  await stripe?.stop();
  await kubectl('delete', 'namespace', STRANGERS, '--ignore-not-found');
  await release.kubectl('delete', 'pod', 'stranger', '--ignore-not-found');
});

/** What a pod reaches on any other replica, each once. */
async function reaches(from: Pick<Release, 'exec'>, pod: string, ownIp = '', hasNode = true): Promise<string[]> {
  const others = targets.filter(({ ip }) => ip !== ownIp);
  return [...new Set(await openTo(from, pod, others, hasNode))].sort();
}

describe('network policies', () => {
  it('are tested on every port of every pod', () => {
    expect([...new Set(targets.map(({ title }) => title))].sort()).toEqual(
      [
        ...Object.entries(PORTS).flatMap(([component, ports]) => ports.map((port) => `${component}:${port}`)),
        'stripe:8092',
      ].sort(),
    );
  });

  it.each(Object.keys(ALLOWED))('let %s reach what it calls, and nothing else', async (component) => {
    const pods = (await release.pods(component)).filter(({ leaving }) => !leaving);
    expect(pods).not.toEqual([]);
    for (const { name, ip } of pods) {
      const hasNode = !['postgres', 'redis'].includes(component);
      expect(await reaches(release, name, ip, hasNode), name).toEqual([...(ALLOWED[component] ?? [])].sort());
    }
  });

  it('allow an unrelated pod to reach only the ingress and the console, from the same namespace and another', async () => {
    expect(await reaches(release, 'stranger')).toEqual(OPEN);
    const exec = (pod: string, ...command: string[]) =>
      kubectl('--namespace', STRANGERS, 'exec', pod, '--', ...command);
    expect(await reaches({ exec }, 'stranger')).toEqual(OPEN);
  });
});
