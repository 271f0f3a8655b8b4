import { writeFileSync } from 'node:fs';
import { cloudCatalogue } from '@tollgate/test-support/clouds/catalogue';
import { type Clouds, startClouds } from '@tollgate/test-support/clouds/clouds';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { directed, ENDPOINTS, withKey } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import { readEvents, readStream } from '@tollgate/test-support/gateway/sse';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectRefreshedAhead } from './support/refreshed.ts';

const BALANCE = 1_000_000_000n;
const PATIENCE = { timeout: 30_000, interval: 50 };
/** What the catalogue's price makes of a token, in nano-dollars. */
const [INPUT_NANOS, OUTPUT_NANOS] = [2_000n, 10_000n];

const MODELS = [
  'azure-chat',
  'azure-responses',
  'azure-entra',
  'foundry',
  'bedrock',
  'bedrock-responses',
  'bedrock-messages',
  'bedrock-key',
  'mantle-messages',
  'mantle-chat',
  'mantle-responses',
  'vertex-gemini',
  'vertex-claude',
  'vertex-openai',
];

const folder = makeTemporaryFolder();
let clouds: Clouds;
let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  clouds = await startClouds(() => gateway.simulator.url, folder.path);
  gateway = await startGateway({ env: { ...clouds.env, ...clouds.aws.podIdentity } });
  writeFileSync(gateway.catalogueFile, cloudCatalogue(clouds.url));
  account = await gateway.accounts.create(BALANCE);
  const headers = { authorization: `Bearer ${account.key}` };
  await vi.waitFor(async () => {
    const models = listAt((await gateway.send({ path: '/v1/models', headers })).json, 'data');
    expect(models).toHaveLength(MODELS.length + 1);
  }, PATIENCE);
});
afterAll(async () => {
  await gateway?.stop();
  await clouds?.stop();
  folder.remove();
});

function costOfTokens(record: unknown, output: number): bigint {
  const input = at(record, 'usage', 'input');
  expect(input).toBeGreaterThan(0);
  return BigInt(Number(input)) * INPUT_NANOS + BigInt(output) * OUTPUT_NANOS;
}

describe.each(MODELS)('%s', (model) => {
  it.each(ENDPOINTS)('serves $protocol, whole and as a stream, and charges the reported usage', async (endpoint) => {
    for (const stream of [false, true]) {
      const text = directed('Say something.', { output_tokens: 21 });
      const message = await open(gateway.baseUrl, withKey(account.key, endpoint.request({ model, text, stream })));
      const response = await readStream(message);
      expect(response.status, response.raw).toBe(200);
      const record = await recordOf(gateway, account, response.headers['x-request-id']);
      expect(record).toMatchObject({ status: 'completed', streamed: stream, usage_estimated: false });
      expect(at(record, 'usage', 'output')).toBe(21);
      expect(costOf(record)).toBe(costOfTokens(record, 21));
    }
  });
});

/** A call of the model in chat completions. */
function ask(model: string, fields: object = {}) {
  return gateway.chat(account.key, { model, messages: [{ role: 'user', content: 'Hi' }], ...fields });
}

function linesWith(text: string): string[] {
  return gateway.stack.logs.read('ingress').filter((line) => line.includes(text));
}

describe('a client that leaves a stream of a cloud', () => {
  it.each(MODELS)('of %s pays for all that is billed', async (model) => {
    const leaver = await gateway.accounts.create(BALANCE);
    const text = directed('Say something.', { output_tokens: 60, token_delay_ms: 10 });
    const [endpoint] = ENDPOINTS;
    if (endpoint === undefined) throw new Error('there is no endpoint');
    const stream = await open(gateway.baseUrl, withKey(leaver.key, endpoint.request({ model, text, stream: true })));
    await readEvents(stream, 5);
    stream.destroy();
    await expect.poll(async () => (await allRecords(gateway, leaver)).length, PATIENCE).toBe(1);
    const [record] = await allRecords(gateway, leaver);
    expect(record).toMatchObject({ status: 'cancelled', usage_estimated: false });
    expect(at(record, 'usage', 'output')).toBe(60);
    expect(costOf(record)).toBe(costOfTokens(record, 60));
  });
});

/** Each cloud by the identity that needs nothing but its environment; cloud-identities.test.ts has the others. */
const AMBIENT = [
  ['bedrock', 'podIdentity'],
  ['vertex-openai', 'metadataServer'],
  ['azure-entra', 'federatedApplication'],
] as const;

describe('credentials of a cloud', () => {
  it.each(AMBIENT)('of %s that were refused are replaced before the next call', async (model, identity) => {
    expect((await ask(model)).status).toBe(200);
    clouds.identities[identity].revoke();
    const refused = await ask(model);
    expect(refused.status).toBe(502);
    expect(refused.text).not.toMatch(/token|credential/i);
    expect((await ask(model)).status).toBe(200);
  });

  it('are refreshed ahead of their end in the background, so that no call waits or fails', async () => {
    await expectRefreshedAhead(
      AMBIENT.map(([model, identity]) => ({
        issuer: clouds.identities[identity],
        call: async () => (await ask(model)).status,
      })),
    );
  });

  it('that cannot be had make a call fall back, or fail as the gateway\u2019s problem, without a trace of secrets', async () => {
    const { podIdentity } = clouds.identities;
    podIdentity.isUp = false;
    podIdentity.revoke();
    await ask('bedrock');
    const failed = await ask('bedrock');
    expect(failed.status).toBe(502);
    expect((await ask('fallback')).status).toBe(200);
    podIdentity.isUp = true;
    for (const text of ['no_credential', 'no credential of the cloud was obtained']) {
      await expect.poll(() => linesWith(text).length, PATIENCE).toBeGreaterThan(0);
    }
    await vi.waitFor(async () => expect((await ask('bedrock')).status).toBe(200), { timeout: 90_000, interval: 500 });
    const secrets = Object.values(clouds.identities).flatMap(({ issued }) =>
      issued.flatMap(({ id, secret }) => [id, secret]),
    );
    const keys = ['azure-key-for-tests', 'bedrock-key-for-tests'];
    const lines = gateway.stack.logs.read('ingress').join('\n');
    expect([...secrets, ...keys].filter((secret) => lines.includes(secret))).toEqual([]);
  });
});

describe('counting tokens of a model on Vertex AI', () => {
  it('asks the provider in its form', async () => {
    const body = JSON.stringify({ model: 'vertex-claude', messages: [{ role: 'user', content: 'Hi' }] });
    const headers = { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' };
    const counted = await gateway.send({ method: 'POST', path: '/v1/messages/count_tokens', headers, body });
    expect(counted.status).toBe(200);
    expect(counted.headers['x-tollgate-warnings']).toBeUndefined();
    const call = clouds.arrived.findLast(({ url }) => url.endsWith('/models/count-tokens:rawPredict'));
    expect(JSON.parse(call?.body.toString() ?? '')).toMatchObject({ anthropic_version: 'vertex-2023-10-16' });
  });
});
