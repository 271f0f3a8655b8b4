import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clouds, cloudCatalogue, startClouds } from '@tollgate/test-support/clouds/clouds';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { directed, ENDPOINTS, withKey } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import { readEvents, readStream } from '@tollgate/test-support/gateway/sse';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

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
  const tokenFile = join(folder.path, 'token');
  writeFileSync(tokenFile, 'projected-token');
  clouds = await startClouds(() => gateway.simulator.url, tokenFile);
  gateway = await startGateway({ env: clouds.env });
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

describe('credentials of a cloud', () => {
  it.each([
    ['bedrock', 'aws'],
    ['vertex-openai', 'google'],
    ['azure-entra', 'entra'],
  ] as const)('of %s that were refused are replaced before the next call', async (model, cloud) => {
    expect((await ask(model)).status).toBe(200);
    clouds[cloud].revoke();
    const refused = await ask(model);
    expect(refused.status).toBe(502);
    expect(refused.text).not.toMatch(/token|credential/i);
    expect((await ask(model)).status).toBe(200);
  });

  it('are refreshed ahead of their end in the background, so that no call waits or fails', async () => {
    for (const cloud of [clouds.aws, clouds.google, clouds.entra]) {
      cloud.lifeMs = 8_000;
      cloud.revoke();
    }
    const models = ['bedrock', 'vertex-openai', 'azure-entra'];
    for (const model of models) await ask(model);
    for (const model of models) expect((await ask(model)).status).toBe(200);
    const cloudsOf = [clouds.aws, clouds.google, clouds.entra];
    const before = cloudsOf.map((cloud) => cloud.issued.length);
    const endMs = Date.now() + 20_000;
    while (Date.now() < endMs) for (const model of models) expect((await ask(model)).status).toBe(200);
    for (const [index, cloud] of cloudsOf.entries()) {
      const later = cloud.issued.slice(before[index]);
      // About one for each six seconds, whatever the number of calls.
      expect(later.length).toBeGreaterThanOrEqual(2);
      expect(later.length).toBeLessThanOrEqual(8);
      const all = cloud.issued.slice((before[index] ?? 0) - 1);
      for (const [at, next] of all.slice(1).entries()) expect(next.atMs).toBeLessThan(all[at]?.untilMs ?? 0);
      cloud.lifeMs = 3_600_000;
    }
  });

  it('that cannot be had make a call fall back, or fail as the gateway\u2019s problem, without a trace of secrets', async () => {
    clouds.aws.isUp = false;
    clouds.aws.revoke();
    await ask('bedrock');
    const failed = await ask('bedrock');
    expect(failed.status).toBe(502);
    expect((await ask('fallback')).status).toBe(200);
    clouds.aws.isUp = true;
    for (const text of ['no_credential', 'no credential of the cloud was obtained']) {
      await expect.poll(() => linesWith(text).length, PATIENCE).toBeGreaterThan(0);
    }
    await vi.waitFor(async () => expect((await ask('bedrock')).status).toBe(200), { timeout: 90_000, interval: 500 });
    const secrets = [clouds.aws, clouds.google, clouds.entra].flatMap(({ issued }) =>
      issued.flatMap(({ id, secret }) => [id, secret]),
    );
    const lines = gateway.stack.logs.read('ingress');
    expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
    expect(lines.filter((line) => line.includes('projected-token'))).toEqual([]);
  });
});

describe('a client that leaves a stream of a cloud', () => {
  it.each(['azure-chat', 'bedrock', 'vertex-gemini', 'vertex-claude'])(
    'of %s pays for all that is billed',
    async (model) => {
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
    },
  );
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
