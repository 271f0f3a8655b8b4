import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { CHECKOUT } from '@tollgate/local';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { apply } from './cluster.ts';
import type { Target } from './connections.ts';
import { type Forward, forward } from './forward.ts';
import { images } from './images.ts';
import type { Release, ReleaseValues } from './release.ts';

const NAME = 'stripe-simulator';
const PORT = 8_092;
const SECRETS = { key: 'sk_test_ofTheKindTest', webhook: 'whsec_ofTheKindTest' };
const PEERS = [{ podSelector: { matchLabels: { app: NAME } } }];

/** The stand-in for Stripe as a pod: no image has it, so its bundle runs in that of the simulated provider. */
export class StripePod {
  readonly #release: Release;
  readonly #forward: Forward;

  private constructor(release: Release, forwarded: Forward) {
    this.#release = release;
    this.#forward = forwarded;
  }

  /** Starts it in the namespace of a release, with the Secret that payments needs. */
  static async start(release: Release): Promise<StripePod> {
    const { namespace } = release;
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await StripePod.remove(release);
    await createBundle(release);
    const metadata = { name: NAME, namespace, labels: { app: NAME } };
    await apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: { 'secret-key': SECRETS.key, 'webhook-secret': SECRETS.webhook },
    });
    await apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: metadata.labels, ports: [{ port: PORT }] },
    });
    await apply(policyManifest(release, metadata));
    await apply(podManifest(release, metadata));
    await release.kubectl('wait', '--for=condition=Ready', `pod/${NAME}`, '--timeout=60s');
    return new StripePod(release, await forward(namespace, `pod/${NAME}`, PORT));
  }

  /** Removes what `start` makes. */
  static async remove(release: Release): Promise<void> {
    const kinds = 'pod,service,secret,configmap,networkpolicy';
    await release.kubectl('delete', kinds, NAME, '--ignore-not-found', '--grace-period=1').catch(() => undefined);
  }

  /** The payer pays at the page of a checkout, as a browser does. */
  async pay(checkoutUrl: string): Promise<void> {
    const url = new URL(checkoutUrl);
    url.host = this.#forward.address;
    const body = new URLSearchParams({ outcome: 'card' });
    const response = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    if (response.status >= 400) throw new Error(`the checkout answers ${response.status}: ${await response.text()}`);
  }

  /** Where it listens. */
  async target(): Promise<Target> {
    const ip = await this.#release.kubectl('get', 'pod', NAME, '--output=jsonpath={.status.podIP}');
    return { title: `stripe:${PORT}`, ip, port: PORT };
  }

  async stop(): Promise<void> {
    this.#forward.stop();
    await StripePod.remove(this.#release);
  }
}

/** Values of a release with payments that go to the stand-in, the only place that they may reach. */
export function paymentsValues(): ReleaseValues {
  return {
    payments: {
      enabled: true,
      stripe: { existingSecret: NAME },
      extraEnv: [{ name: 'STRIPE_API_URL', value: `http://${NAME}:${PORT}` }],
    },
    networkPolicy: { payments: { from: PEERS, to: PEERS, ports: [PORT] } },
  };
}

/** A ConfigMap with the program, packed: as it is, it would be too large for one. */
async function createBundle(release: Release): Promise<void> {
  await promisify(execFile)(process.execPath, ['deploy/images/bundle.ts', NAME], { cwd: CHECKOUT });
  const folder = makeTemporaryFolder();
  try {
    const file = join(folder.path, 'main.cjs.gz');
    writeFileSync(file, gzipSync(readFileSync(join(CHECKOUT, `services/${NAME}/dist/main.cjs`))));
    await release.kubectl('create', 'configmap', NAME, `--from-file=${file}`);
  } finally {
    folder.remove();
  }
}

/** As the chart's policies: only payments may call it. */
function policyManifest(release: Release, metadata: object): object {
  const matchLabels = { 'app.kubernetes.io/instance': release.name, 'app.kubernetes.io/component': 'payments' };
  const ingress = [{ from: [{ podSelector: { matchLabels } }], ports: [{ port: PORT }] }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: { podSelector: PEERS[0]?.podSelector, policyTypes: ['Ingress'], ingress },
  };
}

function podManifest(release: Release, metadata: object): object {
  const { repository, tag } = images();
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: NAME,
          image: `${repository}/simulator:${tag}`,
          command: ['sh', '-c', 'gunzip -c /bundle/main.cjs.gz >/tmp/main.cjs && exec node /tmp/main.cjs'],
          env: [
            { name: 'LISTEN_HOST', value: '0.0.0.0' },
            { name: 'PORT', value: String(PORT) },
            { name: 'PUBLIC_URL', value: `http://${NAME}:${PORT}` },
            { name: 'STRIPE_KEY', value: SECRETS.key },
            { name: 'WEBHOOK_URL', value: `http://${release.named('payments-webhooks')}/webhooks/stripe` },
            { name: 'WEBHOOK_SECRET', value: SECRETS.webhook },
          ],
          readinessProbe: { httpGet: { path: '/health', port: PORT }, periodSeconds: 1 },
          volumeMounts: [{ name: 'bundle', mountPath: '/bundle' }],
        },
      ],
      volumes: [{ name: 'bundle', configMap: { name: NAME } }],
    },
  };
}
