import { generateKeyPairSync } from 'node:crypto';
import { readPublicKeys, readSigningKey, signActorToken, verifyActorToken } from '@tollgate/common/actors/token';
import { createLogger } from '@tollgate/common/logging';
import { actorWith } from '@tollgate/common/testing/actors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeKubernetes } from '../../testing/fake-kubernetes.ts';
import { ensureActorKeys } from './actor-keys.ts';
import { openSecrets } from './kubernetes.ts';

const SECRET = 'tollgate-actor-keys';
const LABELS = { 'app.kubernetes.io/instance': 'tollgate' };

let kubernetes: FakeKubernetes;
beforeEach(async () => {
  kubernetes = await FakeKubernetes.start('account-token');
});
afterEach(() => kubernetes.stop());

/** Runs as the hook does. @returns what was written */
async function run(): Promise<string[]> {
  kubernetes.writes.length = 0;
  const secrets = openSecrets({ url: kubernetes.url, token: 'account-token', namespace: 'gateway' });
  await ensureActorKeys({ secrets, logger: createLogger('test', 'silent') }, { secret: SECRET, labels: LABELS });
  return kubernetes.writes;
}

function newPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    verifying: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

it('creates a key pair that signs and verifies, and keeps it', async () => {
  expect(await run()).toEqual([`POST ${SECRET}`]);
  const files = kubernetes.files(SECRET);
  expect(Object.keys(files)).toEqual(['signing-key.pem', 'public-keys.pem']);
  const token = await signActorToken(readSigningKey(files['signing-key.pem'] ?? ''), actorWith(), Date.now());
  const verified = await verifyActorToken(readPublicKeys(files['public-keys.pem'] ?? ''), token, Date.now());
  expect(verified).toEqual(actorWith());
  expect(kubernetes.secrets.get(SECRET)).toMatchObject({ type: 'Opaque', metadata: { labels: LABELS } });
  expect(await run()).toEqual([]);
  expect(kubernetes.files(SECRET)).toEqual(files);
});

it('keeps the key pair of another client that was quicker', async () => {
  const { signing, verifying } = newPair();
  kubernetes.beforeWrite = () => {
    if (!kubernetes.secrets.has(SECRET))
      kubernetes.put(SECRET, { 'signing-key.pem': signing, 'public-keys.pem': verifying });
  };
  expect(await run()).toEqual([]);
  expect(kubernetes.files(SECRET)['signing-key.pem']).toBe(signing);
});

it('accepts several public keys, as during a rotation', async () => {
  const [old, next] = [newPair(), newPair()];
  kubernetes.put(SECRET, { 'signing-key.pem': next.signing, 'public-keys.pem': old.verifying + next.verifying });
  expect(await run()).toEqual([]);
});

it.each([
  ['no signing key', { 'public-keys.pem': newPair().verifying }, /signing-key\.pem: /],
  ['no public key', { 'signing-key.pem': newPair().signing }, /public-keys\.pem: must have at least one/],
  [
    'no public key of the signing key',
    { 'signing-key.pem': newPair().signing, 'public-keys.pem': newPair().verifying },
    /public-keys\.pem: must have the public key of signing-key\.pem/,
  ],
])('fails, and changes nothing, with %s', async (_, files, message) => {
  kubernetes.put(SECRET, files);
  await expect(run()).rejects.toThrow(message);
  expect(kubernetes.files(SECRET)).toEqual(files);
});
