import { createOperatorClient } from '@tollgate/common/actors/operator';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { send } from '@tollgate/test-support/gateway/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certifiedAs } from './support/certificates.ts';
import { type Forward, forward } from './support/forward.ts';
import { type Gateway, loadValues, reach } from './support/gateway.ts';
import { Release } from './support/release.ts';

const KEYS = 10;
const release = new Release();
let gateway: Gateway;
/** One per pod. */
let ingresses: Forward[];
let auth: Forward[];

beforeAll(async () => {
  await release.install(loadValues(release));
  gateway = await reach(release);
  const each = async (component: string, port: number) => {
    const pods = (await release.pods(component)).filter(({ leaving }) => !leaving);
    return Promise.all(pods.map(({ name }) => forward(release.namespace, `pod/${name}`, port)));
  };
  ingresses = await each('ingress', 8_080);
  auth = await each('auth', 50_051);
});
afterAll(async () => {
  for (const each of [...ingresses, ...auth]) each.stop();
  await gateway.stop();
});

function call(ingress: Forward, key: string): Promise<number> {
  const wire = { path: '/v1/models', headers: { authorization: `Bearer ${key}` } };
  return send(`http://${ingress.address}`, wire).then(({ status }) => status);
}

it('a key deleted through one replica of auth is rejected at once by every replica of the ingress', async () => {
  expect(ingresses).toHaveLength(2);
  expect(auth).toHaveLength(2);
  const account = await gateway.accounts.create(1_000_000_000n);
  const tls = await certifiedAs('console', release);
  for (let number = 0; number < KEYS; number += 1) {
    const { keyId, key } = await gateway.accounts.createKey(account.accountId);
    // Every ingress has cached it.
    expect(await Promise.all(ingresses.map((each) => call(each, key)))).toEqual([200, 200]);
    const client = createOperatorClient(auth[number % 2]?.address ?? '', tls);
    await unaryCall(client.deleteKey.bind(client), { keyId, accountId: '' }, { deadlineMs: 10_000 });
    expect(await Promise.all(ingresses.map((each) => call(each, key)))).toEqual([401, 401]);
    client.close();
  }
  expect(await Promise.all(ingresses.map((each) => call(each, account.key)))).toEqual([200, 200]);
});

it('auth rejects calls without a certificate, key deletion by an ingress, and calls without an actor', async () => {
  const address = auth[0]?.address ?? '';
  const request = { keyId: '00000000-0000-7000-8000-000000000000', accountId: '' };
  const deletion = async (
    tls?: Awaited<ReturnType<typeof certifiedAs>>,
    client = createGrpcClient(AuthServiceClient, address, tls),
  ) => {
    try {
      await unaryCall(client.deleteKey.bind(client), request, { deadlineMs: 3_000 });
    } finally {
      client.close();
    }
  };
  await expect(deletion()).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/);
  await expect(deletion(await certifiedAs('ingress', release))).rejects.toThrow(
    /PERMISSION_DENIED.*DeleteKey is allowed for console only/,
  );
  const console = await certifiedAs('console', release);
  await expect(deletion(console)).rejects.toThrow(/UNAUTHENTICATED/);
  await expect(deletion(console, createOperatorClient(address, console))).rejects.toThrow(/NOT_FOUND/);
});
