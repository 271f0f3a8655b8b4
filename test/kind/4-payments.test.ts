import { createOperatorClient } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { ApiClient } from '@tollgate/console/testing/api-client';
import { Role } from '@tollgate/proto/auth';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { certifiedAs } from './support/certificates.ts';
import { type Forward, forward } from './support/forward.ts';
import { type Gateway, loadValues, merged, reach } from './support/gateway.ts';
import { Release } from './support/release.ts';
import { paymentsValues, StripePod } from './support/stripe-pod.ts';

const SOON = { timeout: 120_000, interval: 250 };

const release = new Release();
let stripe: StripePod;
let gateway: Gateway;
let forwards: Forward[];
let api: ApiClient;
let path: { account_id: string };

beforeAll(async () => {
  stripe = await StripePod.start(release);
  await release.install(merged(loadValues(release), paymentsValues()));
  gateway = await reach(release);
  const [web, auth] = await Promise.all([
    forward(release.namespace, `service/${release.named('console')}`, 80),
    forward(release.namespace, `service/${release.named('auth')}`, 50_051),
  ]);
  forwards = [web, auth];
  const { accountId } = await gateway.accounts.create(0n);
  path = { account_id: accountId };
  api = new ApiClient(`http://${web.address}`, { managementKey: await managementKey(auth, accountId) });
});
afterAll(async () => {
  for (const each of forwards ?? []) each.stop();
  await gateway?.stop();
  await stripe?.stop();
});

async function managementKey({ address }: Forward, accountId: string): Promise<string> {
  const client = createOperatorClient(address, await certifiedAs('console', release));
  try {
    const expiresAtMs = BigInt(Date.now() + 3_600_000);
    const request = { accountId, name: 'kind test', role: Role.OWNER, expiresAtMs };
    return (await unaryCall(client.createManagementKey.bind(client), request, { deadlineMs: 20_000 })).secret;
  } finally {
    client.close();
  }
}

/** Begins a payment. @returns where it is paid */
async function begin(amount: string): Promise<string> {
  const body = { amount, idempotency_key: newId() };
  const { checkout_url: url } = await api.ok('POST /accounts/{account_id}/payments', { path, body });
  if (url === null) throw new Error('the payment has no page');
  return url;
}

async function deposits(): Promise<number[]> {
  const { data } = await api.ok('GET /accounts/{account_id}/deposits', { path, query: { range: '1h' } });
  return data.map(({ amount }) => Number(amount)).sort((a, b) => a - b);
}

it('a payment by card arrives in the ledger by the webhook', async () => {
  await stripe.pay(await begin('20'));
  await vi.waitFor(async () => expect(await deposits()).toEqual([20]), SOON);
});

it('a payment that is made while every pod of payments is killed arrives once', async () => {
  const url = await begin('35');
  await release.kubectl(
    ...['delete', 'pods', '-l', 'app.kubernetes.io/component=payments', '--force', '--grace-period=0', '--wait=false'],
  );
  await stripe.pay(url);
  await vi.waitFor(async () => expect(await deposits()).toEqual([20, 35]), SOON);
  await release.rolledOut('payments');
  expect(await deposits()).toEqual([20, 35]);
});
