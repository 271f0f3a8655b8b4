import type { Account } from '@tollgate/test-support/gateway/accounts';
import { type Gateway, say } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { describe, expect, it, vi } from 'vitest';
import { type ExpectedError, expectBillingError, expectModelError } from './support/errors.ts';
import { monitorRedis } from './support/redis-monitor.ts';
import { withGateway } from './support/shared-gateway.ts';

type Headers = Record<string, string>;
interface Place {
  method: string;
  path: string;
  /** The response to a request with a key and without a body. */
  responded: number;
}

const PLAIN: Place[] = [
  { method: 'POST', path: '/v1/chat/completions', responded: 400 },
  { method: 'POST', path: '/chat/completions', responded: 400 },
  { method: 'POST', path: '/v1/responses', responded: 400 },
  { method: 'POST', path: '/responses', responded: 400 },
  { method: 'POST', path: '/v1/responses/input_tokens', responded: 400 },
  { method: 'POST', path: '/v1/embeddings', responded: 400 },
  { method: 'GET', path: '/v1/models', responded: 200 },
  { method: 'GET', path: '/models', responded: 200 },
  { method: 'GET', path: '/v1/models/small', responded: 200 },
  { method: 'GET', path: '/v1/models/vendor/tricky:name', responded: 200 },
  { method: 'GET', path: '/v1/nowhere', responded: 404 },
  { method: 'GET', path: '/', responded: 404 },
];
const BILLING: Place[] = [
  { method: 'GET', path: '/v1/billing/balance', responded: 200 },
  { method: 'GET', path: '/v1/billing/requests', responded: 400 },
  { method: 'GET', path: '/v1/billing/nowhere', responded: 404 },
];
const MESSAGES: Place[] = [
  { method: 'POST', path: '/v1/messages', responded: 400 },
  { method: 'POST', path: '/v1/messages?beta=true', responded: 400 },
  { method: 'POST', path: '/v1/messages/count_tokens', responded: 400 },
  { method: 'POST', path: '/messages', responded: 400 },
  { method: 'POST', path: '/messages/count_tokens', responded: 400 },
  { method: 'GET', path: '/v1/messages/nowhere', responded: 404 },
];
const GENERATIVE: Place[] = [
  { method: 'GET', path: '/v1beta/models', responded: 200 },
  { method: 'GET', path: '/v1beta/models/small', responded: 200 },
  { method: 'POST', path: '/v1beta/models/small:generateContent', responded: 400 },
  { method: 'POST', path: '/v1beta/models/small:streamGenerateContent?alt=sse', responded: 400 },
  { method: 'POST', path: '/v1beta/models/small:nowhere', responded: 404 },
  { method: 'POST', path: '/v1beta/models/embed:embedContent', responded: 400 },
  { method: 'POST', path: '/v1/models/small:generateContent', responded: 400 },
  { method: 'POST', path: '/models/small:streamGenerateContent', responded: 400 },
  { method: 'POST', path: '/v1/models/vendor/tricky:name:countTokens', responded: 400 },
];
const EVERYWHERE = [...PLAIN, ...BILLING, ...MESSAGES, ...GENERATIVE];

let gateway: Gateway;
let account: Account;
let wrongKey: string;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(1_000_000_000n);
  wrongKey = changed(account.key, account.key.length - 12);
});

/** The key with one letter replaced by another valid one. */
function changed(key: string, index: number): string {
  const letter = key[index] === 'k' ? 'm' : 'k';
  return key.slice(0, index) + letter + key.slice(index + 1);
}

function ask({ method, path }: { method: string; path: string }, headers: Headers): Promise<WireResponse> {
  return gateway.send({ method, path, headers });
}

function expectRefused(place: Place, response: WireResponse, type: string): void {
  if (BILLING.includes(place)) expectBillingError(response, 401, type);
  else expectModelError(response, { status: 401, type, ...shapeOf(place) });
}

function shapeOf(place: Place): Pick<ExpectedError, 'surface'> {
  if (MESSAGES.includes(place)) return { surface: 'messages' };
  return GENERATIVE.includes(place) ? { surface: 'generative' } : {};
}

describe('each header on each kind of path', () => {
  it.each(EVERYWHERE)('$method $path without any', async (place) => {
    expectRefused(place, await ask(place, {}), 'missing_auth_credential');
  });

  it.each(EVERYWHERE)('$method $path with Authorization: Bearer', async (place) => {
    expect((await ask(place, { authorization: `Bearer ${account.key}` })).status).toBe(place.responded);
    expectRefused(place, await ask(place, { authorization: `Bearer ${wrongKey}` }), 'invalid_bearer_token');
  });

  it.each(EVERYWHERE)('$method $path with x-api-key', async (place) => {
    const headers = { 'x-api-key': account.key, 'anthropic-version': '2023-06-01' };
    expect((await ask(place, headers)).status).toBe(place.responded);
    expectRefused(place, await ask(place, { 'x-api-key': wrongKey }), 'invalid_api_key');
  });

  it.each(GENERATIVE)('$method $path with x-goog-api-key', async (place) => {
    expect((await ask(place, { 'x-goog-api-key': account.key })).status).toBe(place.responded);
    expectRefused(place, await ask(place, { 'x-goog-api-key': wrongKey }), 'invalid_api_key');
  });

  it.each([...PLAIN, ...BILLING, ...MESSAGES])('$method $path takes no notice of x-goog-api-key', async (place) => {
    expectRefused(place, await ask(place, { 'x-goog-api-key': account.key }), 'missing_auth_credential');
  });

  it.each(EVERYWHERE)('$method $path takes no notice of ?key=', async (place) => {
    const path = `${place.path}${place.path.includes('?') ? '&' : '?'}key=${account.key}`;
    expectRefused(place, await ask({ ...place, path }, {}), 'missing_auth_credential');
  });
});

describe('several headers at once', () => {
  const models = { method: 'GET', path: '/v1/models' };
  const generative = { method: 'GET', path: '/v1beta/models' };
  const cases: { what: string; place: typeof models; headers: () => Headers; outcome: number | string }[] = [
    {
      what: 'the bearer key decides over x-api-key',
      place: models,
      headers: () => ({ authorization: `Bearer ${account.key}`, 'x-api-key': wrongKey }),
      outcome: 200,
    },
    {
      what: 'a wrong bearer key is not healed by x-api-key',
      place: models,
      headers: () => ({ authorization: `Bearer ${wrongKey}`, 'x-api-key': account.key }),
      outcome: 'invalid_bearer_token',
    },
    {
      what: 'an empty bearer key is a wrong one',
      place: models,
      headers: () => ({ authorization: 'Bearer ', 'x-api-key': account.key }),
      outcome: 'invalid_bearer_token',
    },
    {
      what: 'x-api-key decides over x-goog-api-key',
      place: generative,
      headers: () => ({ 'x-api-key': wrongKey, 'x-goog-api-key': account.key }),
      outcome: 'invalid_api_key',
    },
    {
      what: 'x-goog-api-key has the lowest precedence',
      place: generative,
      headers: () => ({ 'x-api-key': account.key, 'x-goog-api-key': wrongKey }),
      outcome: 200,
    },
    {
      what: 'x-goog-api-key does not count elsewhere',
      place: models,
      headers: () => ({ 'x-api-key': wrongKey, 'x-goog-api-key': account.key }),
      outcome: 'invalid_api_key',
    },
    {
      what: 'another scheme does not hide x-api-key',
      place: models,
      headers: () => ({ authorization: 'Basic dXNlcjpwYXNz', 'x-api-key': account.key }),
      outcome: 200,
    },
  ];

  it.each(cases)('$what', async ({ place, headers, outcome }) => {
    const response = await ask(place, headers());
    if (typeof outcome === 'number') expect(response.status).toBe(outcome);
    else {
      const surface = place === generative ? { surface: 'generative' as const } : {};
      expectModelError(response, { status: 401, type: outcome, ...surface });
    }
  });
});

describe('notations of a key', () => {
  const models = { method: 'GET', path: '/v1/models' };

  it.each(['bearer', 'BEARER', 'bEaReR'])('the scheme may be %s', async (scheme) => {
    expect((await ask(models, { authorization: `${scheme} ${account.key}` })).status).toBe(200);
  });

  it.each(['Basic dXNlcjpwYXNz', 'Digest username="a"', 'Token abc', 'BearerX abc'])(
    'another scheme, %s, is no credential',
    async (authorization) => {
      expectModelError(await ask(models, { authorization }), { status: 401, type: 'missing_auth_credential' });
    },
  );

  it.each(['Bearer', 'Bearer ', 'bearer   '])('%j is an empty key', async (authorization) => {
    expectModelError(await ask(models, { authorization }), { status: 401, type: 'invalid_bearer_token' });
  });

  it('an empty x-api-key is a wrong key', async () => {
    expectModelError(await ask(models, { 'x-api-key': '' }), { status: 401, type: 'invalid_api_key' });
  });

  it.each([
    ['10 KB long', (key: string) => key + 'x'.repeat(10_240)],
    ['cut short', (key: string) => key.slice(0, -1)],
    ['one letter longer', (key: string) => `${key}a`],
    ['in upper case', (key: string) => key.toUpperCase()],
    ['of another service', (key: string) => key.replace('sk-tollgate-', 'sk-other-')],
    ['without its prefix', (key: string) => key.replace('sk-tollgate-', '')],
    ['twice', (key: string) => `${key} ${key}`],
    ['in quotes', (key: string) => `"${key}"`],
    ['with bytes beyond ASCII', (key: string) => `${key.slice(0, -2)}\u00e9\u00ff`],
  ])('a key %s is refused under either header', async (_, spell) => {
    const spelled = spell(account.key);
    const bearer = await ask(models, { authorization: `Bearer ${spelled}` });
    expectModelError(bearer, { status: 401, type: 'invalid_bearer_token' });
    expectModelError(await ask(models, { 'x-api-key': spelled }), { status: 401, type: 'invalid_api_key' });
  });

  it('rejects a well-formed unknown key', async () => {
    const other = await startOtherKey();
    expectModelError(await ask(models, { 'x-api-key': other }), { status: 401, type: 'invalid_api_key' });
  });

  /** A deleted key, which only a store can reject. */
  async function startOtherKey(): Promise<string> {
    const { key, keyId } = await gateway.accounts.createKey(account.accountId);
    await gateway.accounts.deleteKey(keyId);
    return key;
  }

  it('rejects a key with any one letter changed without asking Redis', async () => {
    const monitor = await monitorRedis(gateway.stack.facts.redis_url);
    const start = 'sk-tollgate-'.length;
    const tag = account.key.slice(start, start + 6);
    for (let index = start; index < account.key.length; index += 1) {
      const response = await ask(models, { 'x-api-key': changed(account.key, index) });
      expectModelError(response, { status: 401, type: 'invalid_api_key' });
    }
    const before = monitor.linesWith(tag);
    const { key } = await gateway.accounts.createKey(account.accountId);
    expect((await ask(models, { 'x-api-key': key })).status).toBe(200);
    // A valid new key shows that the monitor would have seen the others.
    await vi.waitFor(() => expect(monitor.linesWith(tag)).not.toEqual([]), { timeout: 30_000 });
    monitor.close();
    expect(before).toEqual([]);
  });
});

describe('keys that end', () => {
  const places = [
    { method: 'GET', path: '/v1/models' },
    { method: 'GET', path: '/v1/billing/balance' },
  ];

  it('rejects a deleted key from the moment the deletion returns, even if cached', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key, keyId } = await gateway.accounts.createKey(account.accountId);
      for (const place of places) expect((await ask(place, { 'x-api-key': key })).status).toBe(200);
      for (const response of await Promise.all(everywhere(key))) expect(response.status).toBe(200);
      await gateway.accounts.deleteKey(keyId);
      const elsewhere = await Promise.all(everywhere(key));
      for (const response of elsewhere) expectModelError(response, { status: 401, type: 'invalid_api_key' });
      const [model, billing, bearer] = await Promise.all([
        ask({ method: 'GET', path: '/v1/models' }, { 'x-api-key': key }),
        ask({ method: 'GET', path: '/v1/billing/balance' }, { 'x-api-key': key }),
        ask({ method: 'POST', path: '/v1/chat/completions' }, { authorization: `Bearer ${key}` }),
      ]);
      expectModelError(model, { status: 401, type: 'invalid_api_key', message: 'deleted' });
      expectBillingError(billing, 401, 'invalid_api_key');
      expectModelError(bearer, { status: 401, type: 'invalid_bearer_token' });
    }
  });

  /** The same call at every ingress. */
  function everywhere(key: string): Promise<WireResponse>[] {
    const urls = gateway.stack.facts.base_urls;
    // Every ingress must reject the deleted key.
    expect(urls).toHaveLength(2);
    return urls.map((url) => send(url, { path: '/v1/models', headers: { 'x-api-key': key } }));
  }

  it("deleting a key does not affect the account's other keys", async () => {
    const doomed = await gateway.accounts.createKey(account.accountId);
    await gateway.accounts.deleteKey(doomed.keyId);
    expect((await ask({ method: 'GET', path: '/v1/models' }, { 'x-api-key': account.key })).status).toBe(200);
  });

  it('a key deleted under load: no later request succeeds', async () => {
    const { key, keyId } = await gateway.accounts.createKey(account.accountId);
    let deleted = false;
    const late: number[] = [];
    const urls = gateway.stack.facts.base_urls;
    const workers = Array.from({ length: 8 }, async (_, index) => {
      for (let sentAfterwards = 0; sentAfterwards < 5; ) {
        const sentAfter = deleted;
        const { status } = await send(urls[index % urls.length] ?? '', {
          path: '/v1/models',
          headers: { 'x-api-key': key },
        });
        if (!sentAfter) continue;
        sentAfterwards += 1;
        late.push(status);
      }
    });
    await gateway.accounts.deleteKey(keyId);
    deleted = true;
    await Promise.all(workers);
    expect(new Set(late)).toEqual(new Set([401]));
  });

  it('rejects an expired key and says why', async () => {
    const expiresAtMs = Date.now() + 5_000;
    const { key } = await gateway.accounts.createKey(account.accountId, { expiresAtMs });
    const models = { method: 'GET', path: '/v1/models' };
    expect((await ask(models, { 'x-api-key': key })).status).toBe(200);
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(expiresAtMs), { timeout: 30_000 });
    const response = await ask(models, { 'x-api-key': key });
    expectModelError(response, { status: 401, type: 'invalid_api_key', message: 'expired' });
  });
});

it('no key is ever written to a log', async () => {
  const { headers } = await gateway.chat(account.key, { model: 'small', messages: say('Hi') });
  await ask({ method: 'GET', path: `/v1/models?key=${account.key}` }, { 'x-api-key': wrongKey });
  await ask({ method: 'GET', path: `/v1/${account.key}` }, { 'x-api-key': account.key });
  const log = (service: string) => gateway.stack.logs.read(service).join('\n');
  await vi.waitFor(() => expect(log('ingress')).toContain(String(headers['x-request-id'])), { timeout: 30_000 });
  for (const service of ['ingress', 'ingress-2', 'auth', 'ledger', 'router']) {
    expect(log(service)).not.toContain(account.key.slice(0, -10));
    expect(log(service)).not.toContain(wrongKey.slice(0, -10));
  }
});
