import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityCatalogue } from '@tollgate/test-support/clouds/catalogue';
import { type Clouds, startClouds } from '@tollgate/test-support/clouds/clouds';
import type { Issuer } from '@tollgate/test-support/clouds/issuer';
import { bearerOf } from '@tollgate/test-support/clouds/token-services';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import { directed, ENDPOINTS, withKey } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import { readStream } from '@tollgate/test-support/gateway/sse';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectRefreshedAhead } from './support/refreshed.ts';

/*
 * Who a gateway can be at the clouds, one by one; Pod Identity is in clouds.test.ts, as AWS prefers a web identity. Each
 * stand-in checks the proof, and the model endpoints the credential that was issued for it.
 */

const IDENTITIES = [
  'webIdentity',
  'assumedRole',
  'metadataServer',
  'serviceAccountKey',
  'federation',
  'impersonation',
  'federatedApplication',
  'applicationSecret',
] as const;
/** Those that the cluster vouches for with a token in a file. */
const PROJECTED = ['webIdentity', 'federation', 'impersonation', 'federatedApplication'] as const;
type IdentityName = (typeof IDENTITIES)[number];

const PATIENCE = { timeout: 30_000, interval: 50 };
/** After a long failure, the next attempt comes within a minute. */
const RECOVERY = { timeout: 90_000, interval: 200 };

const folder = makeTemporaryFolder();
let clouds: Clouds;
let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  clouds = await startClouds(() => gateway.simulator.url, folder.path);
  gateway = await startGateway({ env: { ...clouds.env, ...clouds.aws.webIdentity } });
  const files = { serviceAccountKey: '', federation: '', impersonation: '' };
  for (const name of ['serviceAccountKey', 'federation', 'impersonation'] as const) {
    files[name] = join(folder.path, `${name}.json`);
    writeFileSync(files[name], clouds.googleFiles[name]);
  }
  writeFileSync(gateway.catalogueFile, identityCatalogue(clouds.url, files));
  account = await gateway.accounts.create(1_000_000_000_000n);
  const headers = { authorization: `Bearer ${account.key}` };
  await vi.waitFor(async () => {
    const models = listAt((await gateway.send({ path: '/v1/models', headers })).json, 'data');
    expect(models).toHaveLength(IDENTITIES.length);
  }, PATIENCE);
});
afterAll(async () => {
  await gateway?.stop();
  await clouds?.stop();
  folder.remove();
});

function ask(name: IdentityName) {
  return gateway.chat(account.key, { model: name, messages: [{ role: 'user', content: 'Hi' }] });
}

const call = async (name: IdentityName) => (await ask(name)).status;

/** A streamed call that takes so long. */
async function stream(name: IdentityName, seconds: number) {
  const [endpoint] = ENDPOINTS;
  if (endpoint === undefined) throw new Error('there is no endpoint');
  const text = directed('Say something.', { output_tokens: seconds * 10, token_delay_ms: 100 });
  const request = withKey(account.key, endpoint.request({ model: name, text, stream: true }));
  return await readStream(await open(gateway.baseUrl, request));
}

function issuerOf(name: IdentityName): Issuer {
  return clouds.identities[name];
}

/** The id of the credential in the last call of a model. */
function lastUsed(): string {
  const headers = clouds.arrived.findLast(({ url }) => url.endsWith('/chat/completions'))?.headers ?? {};
  return /Credential=(\w+)\//.exec(String(headers['authorization']))?.[1] ?? bearerOf(headers);
}

function logLines(): string[] {
  return gateway.stack.logs.read('ingress');
}

const usableMs = (issuer: Issuer) => {
  const last = issuer.issued.at(-1);
  if (last === undefined) throw new Error('nothing was issued');
  // The gateway stops using a credential at 95 % of its life.
  return last.atMs + (last.untilMs - last.atMs) * 0.9;
};

it.each(IDENTITIES)('%s authorizes calls, whole and streamed', async (name) => {
  expect((await ask(name)).status).toBe(200);
  expect(issuerOf(name).issued.map(({ id }) => id)).toContain(lastUsed());
  const streamed = await stream(name, 1);
  expect(streamed.status).toBe(200);
  const record = await recordOf(gateway, account, streamed.headers['x-request-id']);
  expect(record).toMatchObject({ status: 'completed', usage_estimated: false });
});

it.each(IDENTITIES)('credentials of %s that were refused are replaced before the next call', async (name) => {
  expect(await call(name)).toBe(200);
  issuerOf(name).revoke();
  const refused = await ask(name);
  expect(refused.status).toBe(502);
  expect(refused.text).not.toMatch(/token|credential/i);
  expect(await call(name)).toBe(200);
});

it('credentials are refreshed ahead of their end, and one that ends while a response streams does not break it', async () => {
  const used = IDENTITIES.map((name) => ({ issuer: issuerOf(name), call: () => call(name) }));
  const [, ...streams] = await Promise.all([
    expectRefreshedAhead(used),
    ...IDENTITIES.map((name) =>
      vi.waitFor(async () => {
        const streamed = await stream(name, 12);
        expect(streamed.status).toBe(200);
        return streamed;
      }, PATIENCE),
    ),
  ]);
  for (const { headers } of streams) {
    const record = await recordOf(gateway, account, headers['x-request-id']);
    expect(record).toMatchObject({ status: 'completed', usage_estimated: false });
    expect(at(record, 'usage', 'output')).toBe(120);
  }
});

describe('when new credentials cannot be had', () => {
  it('the old ones are used until they end, and calls fail as the gateway\u2019s problem until there are new ones', async () => {
    const issuers = IDENTITIES.map(issuerOf);
    for (const issuer of issuers) {
      issuer.lifeMs = 8_000;
      issuer.revoke();
    }
    for (const name of IDENTITIES) await call(name);
    for (const name of IDENTITIES) expect(await call(name)).toBe(200);
    for (const issuer of issuers) issuer.isUp = false;
    const usable = new Map(IDENTITIES.map((name) => [name, usableMs(issuerOf(name))]));
    while (usable.size > 0) {
      for (const [name, untilMs] of usable) {
        const status = await call(name);
        if (Date.now() < untilMs) expect(status, name).toBe(200);
        else usable.delete(name);
      }
    }
    const before = clouds.arrived.filter(({ url }) => url.endsWith('/chat/completions')).length;
    await vi.waitFor(async () => {
      for (const name of IDENTITIES) expect(await call(name), name).toBe(502);
    }, PATIENCE);
    const failed = await ask('webIdentity');
    expect(at(failed.json, 'error', 'type')).toBe('internal_error');
    expect(failed.text).not.toMatch(/token|credential/i);
    const after = clouds.arrived.filter(({ url }) => url.endsWith('/chat/completions'));
    expect(after.slice(before).length).toBeLessThan(IDENTITIES.length * 2);
    await vi.waitFor(() => {
      const missing = logLines().filter((line) => line.includes('no credential of the cloud was obtained'));
      for (const name of IDENTITIES) expect(missing.filter((line) => line.includes(`"${name}"`))).not.toEqual([]);
    }, PATIENCE);
    for (const issuer of issuers) {
      issuer.lifeMs = 3_600_000;
      issuer.isUp = true;
    }
    for (const name of IDENTITIES) await vi.waitFor(async () => expect(await call(name)).toBe(200), RECOVERY);
  });

  it('as the token of the cluster has expired, the next token is read', async () => {
    clouds.projectTokens(-10_000);
    for (const name of PROJECTED) issuerOf(name).revoke();
    for (const name of PROJECTED) await call(name);
    for (const name of PROJECTED) expect(await call(name), name).toBe(502);
    clouds.projectTokens(3_600_000);
    for (const name of PROJECTED) await vi.waitFor(async () => expect(await call(name)).toBe(200), RECOVERY);
  });
});

it('no credential, and no proof of an identity, is in a log', () => {
  const secrets = Object.values(clouds.identities).flatMap(({ issued }) =>
    issued.flatMap(({ id, secret }) => [id, secret]),
  );
  const proofs = clouds.arrived.flatMap(({ url, body }) =>
    /sts|token/.test(url) ? [...new URLSearchParams(body.toString()).values()].filter((text) => text.length > 200) : [],
  );
  expect(proofs.length).toBeGreaterThan(20);
  const lines = logLines().join('\n');
  const found = [...secrets, ...proofs, 'client-secret-for-tests', 'BEGIN PRIVATE KEY'].filter((secret) =>
    lines.includes(secret),
  );
  expect(found).toEqual([]);
});
