import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Manifest, render } from './helm.ts';
import { workloadsOf } from './pods.ts';

const labels = z.record(z.string(), z.string());
const peer = z.object({
  podSelector: z.object({ matchLabels: labels }).optional(),
  namespaceSelector: z.unknown().optional(),
  ipBlock: z.object({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
});
const rule = z.object({
  from: z.array(peer).optional(),
  to: z.array(peer).optional(),
  ports: z.array(z.object({ port: z.number() })),
});
const policy = z.object({
  podSelector: z.object({ matchLabels: labels }),
  policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
  ingress: z.array(rule).default([]),
  egress: z.array(rule).default([]),
});
type Labels = z.output<typeof labels>;
type Rule = z.output<typeof rule>;

const matches = (wanted: Labels, given: Labels) =>
  Object.entries(wanted).every(([name, value]) => given[name] === value);

/** The rules of a direction for a pod; undefined if no policy restricts it. */
function rulesFor(manifests: readonly Manifest[], pod: Labels, direction: 'ingress' | 'egress'): Rule[] | undefined {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => policy.parse(spec))
    .filter(({ podSelector }) => matches(podSelector.matchLabels, pod))
    .filter(({ policyTypes }) => policyTypes.includes(direction === 'ingress' ? 'Ingress' : 'Egress'));
  return policies.length === 0 ? undefined : policies.flatMap((each) => each[direction]);
}

/** Whether a rule admits a pod of the same namespace. */
function letsPass({ from, to, ports }: Rule, pod: Labels, port: number): boolean {
  const peers = from ?? to;
  const isMeant =
    peers === undefined ||
    peers.some(
      (each) => each.podSelector !== undefined && !each.namespaceSelector && matches(each.podSelector.matchLabels, pod),
    );
  return isMeant && ports.some((each) => each.port === port);
}

/** `source>target:port` for all pairs of pods of the release that may connect. */
function connections(manifests: readonly Manifest[]): string[] {
  const ports = [8080, 8070, 8060, 50051, 5432, 6379, 8090, 9464];
  const pods = workloadsOf(manifests).map((each) => each.labels);
  const name = (pod: Labels) => pod['app.kubernetes.io/component'] ?? '';
  const pass = (rules: Rule[] | undefined, other: Labels, port: number) =>
    rules === undefined || rules.some((each) => letsPass(each, other, port));
  const found = pods.flatMap((source) =>
    pods.flatMap((target) =>
      ports
        .filter((port) => pass(rulesFor(manifests, source, 'egress'), target, port))
        .filter((port) => pass(rulesFor(manifests, target, 'ingress'), source, port))
        .map((port) => `${name(source)}>${name(target)}:${port}`),
    ),
  );
  return [...new Set(found)];
}

describe('network policies', () => {
  it('allow exactly the calls that each pod makes', () => {
    expect(connections(render({ values: 'evaluation' })).sort()).toEqual(
      [
        'ingress>auth:50051',
        'ingress>ledger:50051',
        'ingress>router:50051',
        'ingress>redis:6379',
        'ingress>simulator:8090',
        'auth>postgres:5432',
        'auth>redis:6379',
        'ledger>postgres:5432',
        'ledger>auth:50051',
        'console>auth:50051',
        'console>ledger:50051',
        'console>router:50051',
        'console>ingress:8080',
        'console>postgres:5432',
        'migrate>postgres:5432',
        'task>postgres:5432',
        'test>ingress:8080',
        'test>auth:50051',
        'test>ledger:50051',
      ].sort(),
    );
  });

  it('let payments call auth, ledger, Postgres and the payment provider, and the console call payments', () => {
    const set = { 'payments.enabled': true, 'payments.stripe.existingSecret': 'stripe' };
    const before = connections(render({ values: 'evaluation' }));
    const added = connections(render({ values: 'evaluation', set })).filter((each) => !before.includes(each));
    expect(added.sort()).toEqual([
      'console>payments:50051',
      'payments>auth:50051',
      'payments>ledger:50051',
      'payments>postgres:5432',
    ]);
    const production = render({ values: 'production' });
    const pod = workloadsOf(production).find(({ title }) => title === 'Deployment tollgate-payments');
    const blocks = (rulesFor(production, pod?.labels ?? {}, 'egress') ?? []).flatMap(({ to, ports }) =>
      (to ?? []).flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [`${ipBlock.cidr}:${ports[0]?.port}`])),
    );
    expect(blocks).toEqual(['10.20.0.0/24:5432', '0.0.0.0/0:443']);
  });

  it('admit unknown callers only to the ingress and the console', () => {
    const manifests = render({ values: 'evaluation' });
    const stranger = { app: 'stranger' };
    const open = workloadsOf(manifests).filter(({ labels: pod }) =>
      [8080, 8070, 50051, 50052, 5432, 6379, 8090, 9464].some(
        (port) => rulesFor(manifests, pod, 'ingress')?.some((each) => letsPass(each, stranger, port)) ?? true,
      ),
    );
    expect(open.map(({ title }) => title)).toEqual(['Deployment tollgate-console', 'Deployment tollgate-ingress']);
  });

  it('deny private networks to the ingress, and all networks to the router', () => {
    const manifests = render({ values: 'production' });
    const egress = (component: string) => {
      const pod = workloadsOf(manifests).find(({ title }) => title === `Deployment tollgate-${component}`);
      return rulesFor(manifests, pod?.labels ?? {}, 'egress') ?? [];
    };
    const blocks = egress('ingress').flatMap(({ to }) => (to ?? []).flatMap(({ ipBlock }) => ipBlock ?? []));
    expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0']);
    expect(JSON.stringify(blocks)).toContain('169.254.0.0/16');
    expect(egress('router').flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([53, 53]);
  });

  it.each([
    ['EKS Pod Identity', '169.254.170.23/32', 80],
    ['a metadata server', '169.254.169.254/32', 80],
    ['the metadata server of GKE', '169.254.169.252/32', 988],
  ])('let the ingress reach %s only when it is configured', (_, cidr, port) => {
    const portsOf = (set: Record<string, unknown>) => {
      const manifests = render({ values: 'production', set });
      const pod = workloadsOf(manifests).find(({ title }) => title === 'Deployment tollgate-ingress');
      const rules = rulesFor(manifests, pod?.labels ?? {}, 'egress') ?? [];
      const found = rules.filter(({ to }) => to?.some(({ ipBlock }) => ipBlock?.cidr === cidr));
      return found.flatMap(({ ports }) => ports.map((each) => each.port));
    };
    expect(portsOf({})).toEqual([]);
    expect(portsOf({ 'networkPolicy.cloudIdentity.to': [{ ipBlock: { cidr } }] })).toContain(port);
  });

  it('let the console reach its identity provider and mail server only when they are configured', () => {
    const ports = (values: string, set: Record<string, unknown> = {}) => {
      const manifests = render({ values, set });
      const pod = workloadsOf(manifests).find(({ title }) => title === 'Deployment tollgate-console');
      const rules = rulesFor(manifests, pod?.labels ?? {}, 'egress') ?? [];
      return rules.filter(({ to }) => to === undefined).flatMap((each) => each.ports.map(({ port }) => port));
    };
    expect(ports('evaluation')).toEqual([]);
    const smtp = { 'console.smtp.existingSecret': 'smtp', 'console.smtp.from': 'a@example.com' };
    expect(ports('evaluation', smtp)).toEqual([25, 465, 587]);
    const oidc = {
      'console.oidc.issuer': 'https://id.example.com',
      'console.oidc.clientId': 'tollgate',
      'console.oidc.existingSecret': 'oidc',
    };
    expect(ports('evaluation', oidc)).toEqual([443]);
  });

  it('can be disabled', () => {
    const manifests = render({ values: 'evaluation', set: { 'networkPolicy.enabled': false } });
    expect(manifests.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
  });
});
