import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { CHART, CI_VALUES, find, type Manifest, render, renderBeside, runHelm } from './helm.ts';
import { workloadsOf } from './pods.ts';

const kindsOf = (manifests: readonly Manifest[], name: string) =>
  manifests.filter(({ metadata }) => metadata.name === name).map(({ kind }) => kind);
const hookOf = ({ metadata }: Manifest) => metadata.annotations?.['helm.sh/hook'];

describe('migrations', () => {
  it('are the first hook with an external Postgres, with their own secret for a URL in the values', () => {
    const manifests = render({ values: 'gateway-api' });
    const job = find(manifests, 'Job', 'tollgate-migrate');
    expect(hookOf(job)).toBe('pre-install,pre-upgrade');
    const secret = find(manifests, 'Secret', 'tollgate-migrate');
    expect(hookOf(secret)).toBe('pre-install,pre-upgrade');
    expect(Number(secret.metadata.annotations?.['helm.sh/hook-weight'])).toBeLessThan(
      Number(job.metadata.annotations?.['helm.sh/hook-weight']),
    );
    expect(JSON.stringify(job)).toContain('{"name":"tollgate-migrate","key":"url"}');
  });

  it('need nothing of the release', () => {
    for (const values of ['production', 'gateway-api', 'evaluation']) {
      const manifests = render({ values, upgrade: true });
      const job = workloadsOf(manifests).find(({ title }) => title === 'Job tollgate-migrate');
      expect(job?.pod.serviceAccountName).toBeUndefined();
      const own = manifests.filter((each) => hookOf(each) === undefined && each.kind === 'Secret');
      for (const { metadata } of own) expect(JSON.stringify(job)).not.toContain(`"${metadata.name}"`);
    }
  });

  it('run beside the services on the first installation of an evaluation, and before them on upgrades', () => {
    const first = render({ values: 'evaluation' });
    expect(hookOf(find(first, 'Job', 'tollgate-migrate-first'))).toBeUndefined();
    const later = render({ values: 'evaluation', upgrade: true });
    expect(hookOf(find(later, 'Job', 'tollgate-migrate'))).toBe('pre-install,pre-upgrade');
    expect(kindsOf(later, 'tollgate-migrate-first')).toEqual([]);
  });

  it('can be disabled', () => {
    const manifests = render({ values: 'production', set: { 'migrations.enabled': false } });
    const jobs = manifests.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
    expect(jobs).toEqual(['tollgate-secrets']);
  });
});

describe('tasks on the database', () => {
  it('are suspended CronJobs, from which an operator creates Jobs', () => {
    for (const values of ['evaluation', 'production', 'gateway-api']) {
      const manifests = render({ values });
      for (const program of ['migrate', 'raise-epoch', 'archive']) {
        expect(find(manifests, 'CronJob', `tollgate-${program}`)['spec']).toMatchObject({ suspend: true });
        const [ledger, task] = [`Deployment tollgate-ledger`, `CronJob tollgate-${program}`].map((title) =>
          workloadsOf(manifests).find((each) => each.title === title),
        );
        const [container] = task?.pod.containers ?? [];
        const service = program === 'migrate' ? 'auth' : 'ledger';
        expect(container?.command).toEqual(['node', `services/${service}/dist/task.cjs`, program]);
        const tasks = readFileSync(new URL(`../../services/${service}/src/task.ts`, import.meta.url), 'utf8');
        expect(tasks).toContain(`./tasks/${program}.ts`);
        if (program === 'migrate') continue;
        const url = container?.env.find(({ name }) => name === 'DATABASE_URL');
        expect(url).toEqual(ledger?.pod.containers[0]?.env.find(({ name }) => name === 'DATABASE_URL'));
      }
    }
  });
});

describe('logins of Postgres', () => {
  /** Secret and key of each URL, by workload, and by container where it has several. */
  const urlsOf = (manifests: readonly Manifest[]) =>
    Object.fromEntries(
      workloadsOf(manifests).flatMap(({ title, pod }) => {
        expect(pod.volumes.filter(({ secret }) => /postgres|evaluation/.test(secret?.secretName ?? ''))).toEqual([]);
        return pod.containers.flatMap(({ name: container, env = [] }) => {
          const urls = env.filter(({ name }) => name.endsWith('DATABASE_URL'));
          const places = urls.map(({ name, valueFrom }) => [
            name,
            Object.values(valueFrom?.secretKeyRef ?? {}).join(' '),
          ]);
          const suffix = pod.containers.length === 1 ? '' : ` ${container}`;
          const found = [title.replace(/ tollgate-/, ' ') + suffix, Object.fromEntries(places)];
          return urls.length === 0 ? [] : [found];
        });
      }),
    );
  /** Everything by the places of URLs: of the migrations, and of auth, ledger, console and, where it is enabled, payments. */
  const withLogins = (job: string, places: readonly string[], ofJob = places) => {
    const [, , ledger] = places;
    const services = ['auth', 'ledger', 'console', 'payments'].slice(0, places.length - 1);
    const migrations = (title: string, [admin, ...own]: readonly string[]) =>
      Object.fromEntries(
        services.map((service, index) => [
          `${title} ${service}`,
          { DATABASE_URL: own[index], ADMIN_DATABASE_URL: admin },
        ]),
      );
    return {
      ...Object.fromEntries(
        services.map((service, index) => [`Deployment ${service}`, { DATABASE_URL: places[index + 1] }]),
      ),
      'CronJob archive': { DATABASE_URL: ledger },
      'CronJob raise-epoch': { DATABASE_URL: ledger },
      ...migrations('CronJob migrate', places),
      ...migrations(job, ofJob),
    };
  };

  it('are those of Secrets, of which each service gets its own', () => {
    const logins = ['', '-auth', '-ledger', '-console', '-payments'];
    const places = logins.map((login) => `tollgate-postgres${login} url`);
    expect(urlsOf(render({ values: 'production' }))).toEqual(withLogins('Job migrate', places));
  });

  it('can be URLs in the values', () => {
    const url = (login: string) => `postgres://${login}:secret@db/tollgate`;
    const logins = { auth: { url: url('a') }, ledger: { url: url('l') }, console: { existingSecret: 'c' } };
    const set = { 'console.enabled': true, 'console.url': 'https://c.example.com', 'postgres.logins': logins };
    const manifests = render({ values: 'gateway-api', set });
    const places = (secret: string) => [...['url', 'auth-url', 'ledger-url'].map((key) => `${secret} ${key}`), 'c url'];
    const [ofServices, ofJob] = [places('tollgate-postgres-url'), places('tollgate-migrate')];
    expect(urlsOf(manifests)).toEqual(withLogins('Job migrate', ofServices, ofJob));
    for (const name of ['tollgate-postgres-url', 'tollgate-migrate'])
      expect(find(manifests, 'Secret', name)['stringData']).toMatchObject({
        'auth-url': url('a'),
        'ledger-url': url('l'),
      });
  });

  it('are one where only one is set', () => {
    const urls = urlsOf(render({ values: 'gateway-api' }));
    expect(Object.keys(urls)).toHaveLength(8);
    const release = { DATABASE_URL: 'tollgate-postgres-url url' };
    for (const [title, own] of Object.entries(urls))
      expect(own).toEqual(title.startsWith('Job migrate ') ? { DATABASE_URL: 'tollgate-migrate url' } : release);
  });

  it('are generated in an evaluation; its upgrades need only what exists before them', () => {
    const keys = ['postgres-url', ...['auth', 'ledger', 'console'].map((service) => `postgres-${service}-url`)];
    const places = (secret: string) => keys.map((key) => `${secret} ${key}`);
    const ofServices = places('tollgate-evaluation');
    const first = render({ values: 'evaluation' });
    expect(urlsOf(first)).toEqual(withLogins('Job migrate-first', ofServices));
    expect(kindsOf(first, 'tollgate-migrate')).not.toContain('Secret');
    const later = render({ values: 'evaluation', upgrade: true });
    expect(urlsOf(later)).toEqual(withLogins('Job migrate', ofServices, places('tollgate-migrate')));
    expect(hookOf(find(later, 'Secret', 'tollgate-migrate'))).toBe('pre-install,pre-upgrade');
  });

  it('of an evaluation keep their passwords, and those of a release before are made for its upgrade', async () => {
    const kept = {
      'postgres-password': 'first',
      'postgres-auth-url': 'postgres://tollgate_auth:rotated@tollgate-postgres',
    };
    const manifests = await renderBeside({ values: 'evaluation', upgrade: true }, 'tollgate-evaluation', kept);
    const [ofServices, ofMigrations] = ['tollgate-evaluation', 'tollgate-migrate'].map((name) =>
      z.record(z.string(), z.string()).parse(find(manifests, 'Secret', name)['stringData']),
    );
    expect(ofServices).toMatchObject(ofMigrations ?? {});
    expect(ofServices).toMatchObject(kept);
    const urls = ['', '-ledger', '-console'].map((login) => new URL(ofServices?.[`postgres${login}-url`] ?? ''));
    expect(urls.map(({ username, host }) => `${username}@${host}`)).toEqual(
      ['', '_ledger', '_console'].map((login) => `tollgate${login}@tollgate-postgres:5432`),
    );
    expect(new Set(urls.map(({ password }) => password)).size).toBe(3);
  });
});

describe('an evaluation', () => {
  it('has its own Postgres and Redis, marked as such, and the simulated provider', () => {
    const manifests = render({ values: 'evaluation' });
    for (const store of ['postgres', 'redis']) {
      const { metadata, spec } = find(manifests, 'StatefulSet', `tollgate-${store}`);
      expect(metadata.annotations?.['tollgate/evaluation-only']).toContain('Not for production');
      expect(spec).toMatchObject({ replicas: 1, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } });
    }
    expect(kindsOf(manifests, 'tollgate-simulator')).toEqual(
      expect.arrayContaining(['Deployment', 'Service', 'NetworkPolicy']),
    );
  });

  it('omits external stores', () => {
    const set = { 'postgres.existingSecret': 'pg', 'redis.url': 'redis://r', 'catalogue.existingConfigMap': 'c' };
    const manifests = render({ values: 'evaluation', set });
    for (const name of ['tollgate-postgres', 'tollgate-redis', 'tollgate-simulator', 'tollgate-catalogue'])
      expect(kindsOf(manifests, name)).toEqual([]);
    expect(hookOf(find(manifests, 'Job', 'tollgate-migrate'))).toBe('pre-install,pre-upgrade');
  });

  it('can have the simulated provider beside a custom catalogue', () => {
    const kinds = (always: boolean) =>
      kindsOf(
        render({
          values: 'evaluation',
          set: { 'catalogue.inline': 'providers: []', 'evaluation.simulator.always': always },
        }),
        'tollgate-simulator',
      );
    expect(kinds(true)).toContain('Deployment');
    expect(kinds(false)).toEqual([]);
  });

  it("serves the simulated provider's catalogue unchanged", () => {
    const catalogue = new URL('../../deploy/catalogue/simulated.yaml', import.meta.url);
    expect(readFileSync(`${CHART}/files/catalogue-simulated.yaml`, 'utf8')).toBe(readFileSync(catalogue, 'utf8'));
    const { data } = find(render({ values: 'evaluation' }), 'ConfigMap', 'tollgate-catalogue');
    expect(parse(Object.values(data ?? {}).join())).toEqual(parse(readFileSync(catalogue, 'utf8')));
  });

  it('is off by default', () => {
    for (const values of ['production', 'gateway-api'])
      expect(JSON.stringify(render({ values }))).not.toMatch(/evaluation|simulat/);
  });
});

describe('the catalogue', () => {
  it('reaches the router unchanged, in a folder that follows the ConfigMap', () => {
    const text = 'version: 1\n# price\nprice: 0.100000000\n';
    const manifests = render({ values: 'evaluation', set: { 'catalogue.inline': text } });
    expect(find(manifests, 'ConfigMap', 'tollgate-catalogue')['data']).toEqual({ 'catalogue.yaml': text });
    const router = workloadsOf(manifests).find(({ title }) => title === 'Deployment tollgate-router');
    expect(router?.pod.containers[0]?.volumeMounts).toContainEqual({
      name: 'catalogue',
      mountPath: '/etc/tollgate/catalogue',
      readOnly: true,
    });
  });
});

describe('scaling and budgets', () => {
  it('leave the number of pods to an autoscaler', () => {
    const deployment = find(render({ values: 'production' }), 'Deployment', 'tollgate-ingress');
    expect(deployment['spec']).not.toHaveProperty('replicas');
  });

  it('have no budget for a single pod, which would block draining its node', () => {
    const manifests = render({ values: 'evaluation', set: { 'auth.replicas': 1 } });
    expect(manifests.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ metadata }) => metadata.name)).toEqual(
      ['tollgate-console', 'tollgate-ingress', 'tollgate-ledger', 'tollgate-router'],
    );
  });
});

describe('ways in', () => {
  it('configure an Ingress for unbuffered long streams', () => {
    const { metadata, spec } = find(render({ values: 'production' }), 'Ingress', 'tollgate-ingress');
    expect(metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
    });
    expect(spec).toMatchObject({ ingressClassName: 'nginx', rules: [{ host: 'ai.example.com' }] });
  });

  it('set no timeout on a route of the Gateway API', () => {
    expect(find(render({ values: 'gateway-api' }), 'HTTPRoute', 'tollgate-ingress')['spec']).toMatchObject({
      parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
      rules: [
        { timeouts: { request: '0s', backendRequest: '0s' }, backendRefs: [{ name: 'tollgate-ingress', port: 80 }] },
      ],
    });
  });

  it('do not show metrics to clients', () => {
    for (const values of CI_VALUES) {
      const services = render({ values }).filter(
        ({ kind, metadata }) => kind === 'Service' && /-(ingress|console|payments-webhooks)$/.test(metadata.name),
      );
      expect(services.length, values).toBeGreaterThan(0);
      for (const { spec } of services) expect(JSON.stringify(spec)).not.toContain('metrics');
    }
  });
});

describe('the console', () => {
  const variablesOf = (values: string, set = {}) => {
    const spec = JSON.stringify(find(render({ values, set }), 'Deployment', 'tollgate-console')['spec']);
    return (name: string) => new RegExp(`"name":"${name}","value":"([^"]*)"`).exec(spec)?.[1];
  };

  it('knows its own public URL, that of the gateway, and the address of the ingress', () => {
    const value = variablesOf('production');
    expect(value('CONSOLE_URL')).toBe('https://console.example.com');
    expect(value('BASE_URL')).toBe('https://ai.example.com');
    expect(value('GATEWAY_URL')).toBe('http://tollgate-ingress:80');
  });

  it('is where customers top up, unless there is another page, and where caps are raised', () => {
    const linksOf = (set = {}) => {
      const ingress = JSON.stringify(find(render({ values: 'production', set }), 'Deployment', 'tollgate-ingress'));
      return ['RECHARGE_URL', 'CONSOLE_URL'].map(
        (name) => new RegExp(`"${name}","value":"([^"]*)"`).exec(ingress)?.[1],
      );
    };
    const payment = { 'ingress.rechargeUrl': 'https://pay.example.com' };
    expect(linksOf()).toEqual(['https://console.example.com/top-up', 'https://console.example.com']);
    expect(linksOf(payment)).toEqual(['https://pay.example.com', 'https://console.example.com']);
    expect(linksOf({ ...payment, 'console.enabled': false, 'payments.enabled': false })).toEqual([
      'https://pay.example.com',
      undefined,
    ]);
  });

  it('gets secrets only from Secrets', () => {
    const spec = JSON.stringify(find(render({ values: 'everything' }), 'Deployment', 'tollgate-console')['spec']);
    for (const name of ['FIRST_OPERATOR_PASSWORD', 'OIDC_CLIENT_SECRET', 'SMTP_URL', 'DATABASE_URL'])
      expect(spec).toContain(`"name":"${name}","valueFrom":{"secretKeyRef"`);
  });

  it('has its own way in', () => {
    expect(find(render({ values: 'production' }), 'Ingress', 'tollgate-console')['spec']).toMatchObject({
      tls: [{ secretName: 'console-example-com', hosts: ['console.example.com'] }],
      rules: [{ host: 'console.example.com' }],
    });
  });

  it('leaves nothing behind when it is disabled', () => {
    const names = render({ values: 'gateway-api' }).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.includes('console'))).toEqual([]);
  });
});

describe('payments', () => {
  const names = (set = {}) => render({ values: 'evaluation', set }).map(({ metadata }) => metadata.name);

  it('are absent unless they are enabled', () => {
    expect(names().filter((name) => name.includes('payments'))).toEqual([]);
    expect(names({ 'payments.enabled': true, 'payments.stripe.existingSecret': 'stripe' })).toContain(
      'tollgate-payments',
    );
  });

  it('are known to the console, and alone get the keys of the payment provider', () => {
    const manifests = render({ values: 'production' });
    const console = JSON.stringify(find(manifests, 'Deployment', 'tollgate-console')['spec']);
    expect(console).toContain('"PAYMENTS_ADDRESS","value":"dns:///tollgate-payments.');
    const holders = manifests.filter(({ spec }) => JSON.stringify(spec ?? {}).includes('STRIPE_'));
    expect(holders.map(({ metadata }) => metadata.name)).toEqual(['tollgate-payments']);
    const payments = JSON.stringify(holders);
    expect(payments).toContain('"STRIPE_SECRET_KEY","valueFrom":{"secretKeyRef":{"name":"stripe","key":"secret-key"}}');
    expect(payments).toContain('"key":"webhook-secret"');
  });

  it('have a way in for webhooks alone, which may share a host with the gateway', () => {
    expect(find(render({ values: 'production' }), 'Ingress', 'tollgate-payments-webhooks')['spec']).toMatchObject({
      rules: [{ host: 'ai.example.com', http: { paths: [{ path: '/webhooks/', pathType: 'Prefix' }] } }],
    });
    expect(find(render({ values: 'everything' }), 'HTTPRoute', 'tollgate-payments-webhooks')['spec']).toMatchObject({
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/webhooks/' } }],
          backendRefs: [{ name: 'tollgate-payments-webhooks', port: 80 }],
        },
      ],
    });
  });
});

describe('the test of a release', () => {
  it('pays with its own key in an evaluation, and with the configured one elsewhere', () => {
    const tests = (values: string, set = {}) => render({ values, set }).filter((each) => hookOf(each) === 'test');
    expect(JSON.stringify(tests('evaluation'))).toContain('simulated-small');
    expect(tests('production')).toEqual([]);
    const given = tests('production', { 'tests.model': 'gpt', 'tests.existingSecret': 'test-key' });
    expect(JSON.stringify(given)).toContain('{"name":"test-key","key":"key"}');
  });
});

it('has the version of the services', () => {
  const chart = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'));
  const service = JSON.parse(readFileSync(new URL('../../services/ingress/package.json', import.meta.url), 'utf8'));
  expect(chart.appVersion).toBe(service.version);
});

it('can be packed', () => {
  const { status, stdout } = runHelm('show', 'chart', CHART);
  expect(status).toBe(0);
  expect(stdout).toContain('name: tollgate');
});
