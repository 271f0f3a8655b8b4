import { type Wanted, wantedSchema } from '@tollgate/auth/certificates/ensure';
import { actorKeysSchema, type WantedActorKeys } from '@tollgate/auth/secrets/actor-keys';
import { describe, expect, it } from 'vitest';
import { CI_VALUES, find, type Manifest, render } from './helm.ts';
import { variable, type Workload, workloadsOf } from './pods.ts';

const named = (workloads: readonly Workload[], title: string): Workload => {
  const found = workloads.find((each) => each.title === title);
  if (found === undefined) throw new Error(`there is no ${title}`);
  return found;
};

describe.each(CI_VALUES)('pods with the values %s', (values) => {
  const workloads = workloadsOf(render({ values }));

  it('are restricted', () => {
    for (const { title, pod } of workloads) {
      expect(pod.automountServiceAccountToken, title).toBe(false);
      expect(pod.securityContext, title).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(securityContext, title).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('request CPU and memory, and have a memory limit', () => {
    for (const { title, pod } of workloads) {
      for (const { resources } of pod.containers) {
        expect(Object.keys(resources.requests), title).toEqual(['cpu', 'memory']);
        expect(Object.keys(resources.limits), title).toEqual(['memory']);
      }
    }
  });

  it('mount only defined volumes', () => {
    for (const { title, pod } of workloads) {
      const claims = ['journal', 'data'];
      const volumes = [...pod.volumes.map(({ name }) => name), ...claims];
      for (const { volumeMounts } of pod.containers) {
        expect(volumes, title).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
      }
    }
  });

  it('contain no URL or password', () => {
    expect(JSON.stringify(workloads)).not.toMatch(/:\/\/[^"/@]*:[^"/@]+@/);
  });

  it('stop before their grace period ends', () => {
    for (const each of workloads.filter(({ title }) => /-(ingress|auth|ledger|router|console|payments)$/.test(title))) {
      const grace = Number(variable(each, 'SHUTDOWN_GRACE_MS'));
      expect(grace, each.title).toBeGreaterThanOrEqual(1_000);
      const hookSeconds = Number(/"sleep":\{"seconds":(\d+)/.exec(JSON.stringify(each.pod))?.[1] ?? 0);
      const killedAfter = (each.pod.terminationGracePeriodSeconds ?? 30) - hookSeconds;
      expect(grace, each.title).toBeLessThanOrEqual(killedAfter * 1_000 - 3_000);
      expect(grace - Number(variable(each, 'SHUTDOWN_LINGER_MS') ?? 0), each.title).toBeGreaterThanOrEqual(1_000);
    }
  });
});

describe('the ingress', () => {
  it('is a Deployment with a bounded journal by default', () => {
    const ingress = named(workloadsOf(render({ values: 'evaluation' })), 'Deployment tollgate-ingress');
    expect(ingress.pod.volumes).toContainEqual({ name: 'journal', emptyDir: { sizeLimit: '512Mi' } });
    expect(variable(ingress, 'JOURNAL_MAX_BYTES')).toBe('268435456');
  });

  it('is a StatefulSet with a volume per pod if the journal is persistent', () => {
    const manifests = render({ values: 'everything' });
    const set = find(manifests, 'StatefulSet', 'tollgate-ingress');
    expect(set['spec']).toMatchObject({
      serviceName: 'tollgate-ingress-pods',
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Retain' },
      volumeClaimTemplates: [{ metadata: { name: 'journal' } }],
    });
    expect(find(manifests, 'HorizontalPodAutoscaler', 'tollgate-ingress')['spec']).toMatchObject({
      scaleTargetRef: { kind: 'StatefulSet', name: 'tollgate-ingress' },
      metrics: [
        { type: 'Resource' },
        { pods: { metric: { name: 'tollgate_open_requests' }, target: { averageValue: '200' } } },
      ],
    });
  });

  it('finds every pod of the services it calls', () => {
    const manifests = render({ values: 'evaluation' });
    const ingress = named(workloadsOf(manifests), 'Deployment tollgate-ingress');
    for (const service of ['auth', 'ledger', 'router']) {
      expect(variable(ingress, `${service.toUpperCase()}_ADDRESS`)).toBe(
        `dns:///tollgate-${service}.gateway.svc.cluster.local:50051`,
      );
      expect(find(manifests, 'Service', `tollgate-${service}`)['spec']).toMatchObject({ clusterIP: 'None' });
    }
  });

  it('has the same maximum request time as the ledger', () => {
    const workloads = workloadsOf(render({ values: 'evaluation', set: { maxRequestMs: 1_800_000 } }));
    for (const service of ['ingress', 'ledger'])
      expect(variable(named(workloads, `Deployment tollgate-${service}`), 'MAX_REQUEST_MS')).toBe('1800000');
  });

  it.each([
    ['AWS', 'eks.amazonaws.com/role-arn', 'arn:aws:iam::123456789012:role/tollgate', {}],
    ['Azure', 'azure.workload.identity/client-id', 'client-1', { 'azure.workload.identity/use': 'true' }],
    ['Google', 'iam.gke.io/gcp-service-account', 'tollgate@project-1.iam.gserviceaccount.com', {}],
  ])('is known to %s by its service account, and by labels', (_, annotation, value, podLabels) => {
    const set = { 'ingress.serviceAccount.annotations': { [annotation]: value }, 'ingress.podLabels': podLabels };
    const manifests = render({ values: 'production', set });
    const account = (name: string) => find(manifests, 'ServiceAccount', name).metadata.annotations;
    expect(account('tollgate-ingress')).toEqual({ [annotation]: value });
    expect(account('tollgate-auth')).toBeUndefined();
    const { labels, pod } = named(workloadsOf(manifests), 'Deployment tollgate-ingress');
    expect(labels).toMatchObject(podLabels);
    expect(pod).toMatchObject({ serviceAccountName: 'tollgate-ingress' });
  });

  it('gets projected tokens of its service account, one for each audience', () => {
    const set = { 'providers.tokens': { google: '//iam.googleapis.com/pool', aws: 'sts.amazonaws.com' } };
    const { pod } = named(workloadsOf(render({ values: 'production', set })), 'Deployment tollgate-ingress');
    const text = JSON.stringify(pod);
    for (const [path, audience] of Object.entries(set['providers.tokens'])) {
      expect(text).toContain(JSON.stringify({ serviceAccountToken: { path, audience, expirationSeconds: 3_600 } }));
    }
    expect(text).toContain('"mountPath":"/var/run/secrets/tollgate"');
  });

  it('gets credentials of providers only from secrets', () => {
    const ingress = named(workloadsOf(render({ values: 'production' })), 'Deployment tollgate-ingress');
    expect(ingress.pod.containers[0]?.env).toContainEqual({
      name: 'OPENAI_API_KEY',
      valueFrom: { secretKeyRef: { name: 'openai', key: 'api-key' } },
    });
  });
});

/** The certificates that the hook creates. */
function wantedCertificates(manifests: readonly Manifest[]): Wanted {
  const job = named(workloadsOf(manifests), 'Job tollgate-secrets');
  return wantedSchema.parse(JSON.parse(variable(job, 'CERTIFICATES') ?? ''));
}

/** The keys of actor tokens that the hook creates. */
function wantedActorKeys(manifests: readonly Manifest[]): WantedActorKeys {
  const job = named(workloadsOf(manifests), 'Job tollgate-secrets');
  return actorKeysSchema.parse(JSON.parse(variable(job, 'ACTOR_KEYS') ?? ''));
}

describe('the keys of actor tokens', () => {
  const usersOf = (manifests: readonly Manifest[], name: string) =>
    workloadsOf(manifests).flatMap(({ title, pod }) =>
      pod.containers.flatMap(({ env = [] }) =>
        env.filter((each) => each.name === name).map(({ valueFrom }) => [title, valueFrom?.secretKeyRef]),
      ),
    );

  it.each([
    ['that the hook creates', {}],
    ['of the operator', { 'actorKeys.existingSecret': 'ours' }],
  ])('%s reach auth, and without the private key the other services that verify', (_, set) => {
    const manifests = render({ values: 'production', set });
    const name = 'actorKeys.existingSecret' in set ? 'ours' : wantedActorKeys(manifests).secret;
    expect(usersOf(manifests, 'ACTOR_SIGNING_KEY')).toEqual([
      ['Deployment tollgate-auth', { name, key: 'signing-key.pem' }],
    ]);
    const verifying = ['auth', 'ledger', 'payments', 'router'].map((service) => [
      `Deployment tollgate-${service}`,
      { name, key: 'public-keys.pem' },
    ]);
    expect(usersOf(manifests, 'ACTOR_PUBLIC_KEYS').sort()).toEqual(verifying);
  });
});

describe('TLS between the services', () => {
  it('is enabled by default, and can be disabled', () => {
    for (const values of CI_VALUES) {
      const callers = workloadsOf(render({ values })).filter((each) => variable(each, 'AUTH_ADDRESS') !== undefined);
      const servers = workloadsOf(render({ values })).filter((each) => variable(each, 'GRPC_PORT') !== undefined);
      expect(callers.length).toBeGreaterThanOrEqual(2);
      expect(servers.length).toBeGreaterThanOrEqual(3);
      for (const each of [...callers, ...servers])
        expect([each.title, variable(each, 'GRPC_TLS_CERT_FILE')]).toEqual([each.title, '/etc/tollgate/tls/tls.crt']);
    }
    const plain = render({ values: 'evaluation', set: { 'tls.enabled': false } });
    expect(JSON.stringify(plain)).not.toMatch(/GRPC_TLS|CERTIFICATES|-tls/);
  });

  it('rejects calls without it, unless an operator permits them during an upgrade', () => {
    const optional = (set: Record<string, unknown>) =>
      workloadsOf(render({ values: 'evaluation', set })).filter(
        (each) => variable(each, 'GRPC_TLS_OPTIONAL') === 'true',
      );
    expect(optional({})).toEqual([]);
    const titles = optional({ 'tls.acceptPlaintext': true }).map(({ title }) => title);
    expect(titles).toEqual(
      expect.arrayContaining(['auth', 'ledger', 'router'].map((name) => `Deployment tollgate-${name}`)),
    );
  });

  it('gives each service a certificate for its names, and no TLS to the health port', () => {
    const manifests = render({ values: 'gateway-api' });
    const auth = named(workloadsOf(manifests), 'Deployment tollgate-auth');
    expect(variable(auth, 'GRPC_TLS_CA_FILE')).toBe('/etc/tollgate/tls/ca.crt');
    expect(variable(auth, 'GRPC_TLS_CLIENT_NAME')).toBe('tollgate-{role}.gateway.svc');
    expect(variable(auth, 'HEALTH_PORT')).toBe('50052');
    expect(auth.pod.containers[0]).toMatchObject({
      livenessProbe: { httpGet: { path: '/health/live', port: 'health' } },
      ports: expect.arrayContaining([{ name: 'health', containerPort: 50052 }]),
    });
    expect(find(manifests, 'Certificate', 'tollgate-auth-tls')['spec']).toMatchObject({
      secretName: 'tollgate-auth-tls',
      dnsNames: expect.arrayContaining(['tollgate-auth', 'tollgate-auth.gateway.svc.cluster.local']),
    });
  });

  it('trusts the authorities of a ConfigMap instead, to replace one', () => {
    const set = { 'tls.authorities': { existingConfigMap: 'both', key: 'all.pem' } };
    for (const values of ['gateway-api', 'everything']) {
      const pods = workloadsOf(render({ values, set })).filter((each) => variable(each, 'GRPC_TLS_CERT_FILE'));
      expect(pods.length).toBeGreaterThanOrEqual(4);
      for (const each of pods) {
        expect(variable(each, 'GRPC_TLS_CA_FILE'), each.title).toBe('/etc/tollgate/tls-authorities/all.pem');
        expect(each.pod.containers[0]?.volumeMounts, each.title).toContainEqual({
          name: 'tls-authorities',
          mountPath: '/etc/tollgate/tls-authorities',
          readOnly: true,
        });
        expect(each.pod.volumes, each.title).toContainEqual({ name: 'tls-authorities', configMap: { name: 'both' } });
      }
    }
  });

  it('keeps the key of an authority that cert-manager renews, so that older certificates stay valid', () => {
    expect(find(render({ values: 'gateway-api' }), 'Certificate', 'tollgate-tls-authority')['spec']).toMatchObject({
      isCA: true,
      privateKey: { rotationPolicy: 'Never' },
    });
  });

  it("mounts the hook's certificates in every service", () => {
    const manifests = render({ values: 'evaluation' });
    const { certificates } = wantedCertificates(manifests);
    const mounted = workloadsOf(manifests).flatMap(({ pod }) =>
      pod.volumes.flatMap(({ name, secret }) => (name === 'tls' ? [secret] : [])),
    );
    expect(new Set(mounted.map((secret) => secret?.secretName))).toEqual(
      new Set(certificates.map(({ secret }) => secret)),
    );
  });

  it('identifies each caller by a name in its certificate', () => {
    const manifests = render({ values: 'evaluation' });
    const auth = named(workloadsOf(manifests), 'Deployment tollgate-auth');
    const { certificates } = wantedCertificates(manifests);
    for (const role of ['ingress', 'console']) {
      const name = variable(auth, 'GRPC_TLS_CLIENT_NAME')?.replace('{role}', role);
      const holders = certificates.filter(({ dnsNames }) => dnsNames.includes(name ?? ''));
      expect(holders.map(({ secret }) => secret)).toEqual([`tollgate-${role}-tls-generated`]);
    }
  });
});

describe('the hook that creates secrets', () => {
  it('runs first, and leaves no account or role behind', () => {
    const parts = render({ values: 'production' }).filter(({ metadata }) => metadata.name === 'tollgate-secrets');
    expect(parts.map(({ kind }) => kind).sort()).toEqual([
      'Job',
      'NetworkPolicy',
      'Role',
      'RoleBinding',
      'ServiceAccount',
    ]);
    for (const { kind, metadata } of parts) {
      expect([kind, metadata.annotations]).toEqual([
        kind,
        expect.objectContaining({
          'helm.sh/hook': 'pre-install,pre-upgrade',
          'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
        }),
      ]);
      const weight = Number(metadata.annotations?.['helm.sh/hook-weight']);
      expect(weight).toBe(kind === 'Job' ? -5 : -10);
    }
  });

  it('may read and change only its own secrets, and needs nothing of the release', () => {
    const manifests = render({ values: 'production' });
    const { authority, certificates } = wantedCertificates(manifests);
    const { secret: actorKeys } = wantedActorKeys(manifests);
    expect(find(manifests, 'Role', 'tollgate-secrets')['rules']).toEqual([
      {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get', 'update'],
        resourceNames: [authority.secret, ...certificates.map(({ secret }) => secret)],
      },
      {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get'],
        resourceNames: [authority.formerSecret, actorKeys],
      },
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    ]);
    const job = named(workloadsOf(manifests), 'Job tollgate-secrets');
    expect(job.pod.serviceAccountName).toBe('tollgate-secrets');
    expect(job.pod.volumes.map(({ name }) => name)).toEqual(['account']);
    expect(job.pod.containers[0]?.command).toEqual(['node', 'services/auth/dist/task.cjs', 'secrets']);
  });

  it('creates only the keys of actor tokens if certificates have another source, and does not exist without either', () => {
    const existingSecrets = { ingress: 'a', auth: 'b', ledger: 'c', router: 'd', console: 'e' };
    for (const set of [{ source: 'certManager' }, { source: 'existing', existingSecrets }, { enabled: false }]) {
      const manifests = render({ values: 'evaluation', set: { tls: set } });
      const job = named(workloadsOf(manifests), 'Job tollgate-secrets');
      expect(variable(job, 'CERTIFICATES')).toBeUndefined();
      expect(find(manifests, 'Role', 'tollgate-secrets')['rules']).toEqual([
        expect.objectContaining({ verbs: ['get'], resourceNames: [wantedActorKeys(manifests).secret] }),
        expect.objectContaining({ verbs: ['create'] }),
      ]);
      const without = render({ values: 'evaluation', set: { tls: set, 'actorKeys.existingSecret': 'ours' } });
      expect(JSON.stringify(without)).not.toContain('tollgate-secrets');
    }
  });
});

describe('the pods of an evaluation', () => {
  it('request so little that two releases with one more pod per service fit beside the system pods on two CPUs', () => {
    const millis = (cpu: string) => (cpu.endsWith('m') ? Number.parseInt(cpu, 10) : Number(cpu) * 1_000);
    const running = workloadsOf(render({ values: 'evaluation' })).filter(({ title }) => !title.startsWith('CronJob'));
    const requested = running.map(({ title, pod }) => ({
      replicas: /-(ingress|auth|ledger|router|console)$/.test(title) ? 3 : 1,
      cpu: pod.containers.reduce((sum, { resources }) => sum + millis(String(resources.requests['cpu'])), 0),
    }));
    expect(requested.reduce((sum, { replicas, cpu }) => sum + replicas * cpu, 0)).toBeLessThanOrEqual(500);
  });
});
