import { afterAll, expect, it } from 'vitest';
import { kubectl } from '../support/cluster.ts';
import { reach } from '../support/gateway.ts';
import { Release } from '../support/release.ts';

const release = new Release({ namespace: 'tollgate-keep', nodePort: 30_083 });
/** An ingress waits for a ledger that is uninstalled at the same time. */
const ingress = { terminationGracePeriodSeconds: 40 };

/** The secrets that a hook creates outside of the release. */
const GENERATED = [
  ...['auth', 'console', 'ingress', 'ledger', 'router'].map((owner) => `${owner}-tls-generated`),
  'tls-authority-generated',
  'actor-keys-generated',
]
  .map((name) => `secret/tollgate-${name}`)
  .sort();

afterAll(() => release.remove());

/** All listable resources of the release in its namespace. */
async function left(): Promise<string[]> {
  const kinds = await kubectl('api-resources', '--namespaced', '--verbs=list', '--output=name');
  const listed = kinds.split('\n').filter((kind) => kind !== '' && !/^events|metrics\.k8s\.io$/.test(kind));
  const found = await release.kubectl('get', listed.join(','), '--ignore-not-found', '--output=name');
  const ownOfCluster = /configmap\/kube-root-ca\.crt|serviceaccount\/default$/;
  return found
    .split('\n')
    .filter((each) => each !== '' && !ownOfCluster.test(each))
    .sort();
}

it('helm uninstall leaves only kept resources, which a new installation reuses', async () => {
  await release.install({ evaluation: { keepData: true }, ingress });
  let gateway = await reach(release);
  const { accountId } = await gateway.accounts.create(1_000_000_000n);
  await gateway.stop();

  await release.helm('uninstall', '--wait', '--timeout', '3m');
  // Pods finish their open requests, as in any termination.
  await expect
    .poll(left, { timeout: 120_000, interval: 1_000 })
    .toEqual(
      [
        'persistentvolumeclaim/data-tollgate-postgres-0',
        'persistentvolumeclaim/data-tollgate-redis-0',
        'secret/tollgate-evaluation',
        ...GENERATED,
      ].sort(),
    );

  await release.install({ evaluation: { keepData: false }, ingress });
  gateway = await reach(release);
  expect(await gateway.books.balances()).toContainEqual(
    expect.objectContaining({ accountId, available: 1_000_000_000n }),
  );
  await gateway.stop();

  await release.helm('uninstall', '--wait', '--timeout', '3m');
  await expect.poll(left, { timeout: 120_000, interval: 1_000 }).toEqual(GENERATED);
  await release.kubectl(
    'delete',
    'secret',
    '-l',
    'app.kubernetes.io/instance=tollgate,app.kubernetes.io/component in (tls, actor-keys)',
  );
  expect(await left()).toEqual([]);
});
