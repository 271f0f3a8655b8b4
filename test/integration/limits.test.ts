import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { chatRequest, type Gateway, MAX_BODY_BYTES, say, simulate } from '@tollgate/test-support/gateway/gateway';
import { open, readText, send, type WireRequest, type WireResponse } from '@tollgate/test-support/gateway/http';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

const DOLLAR = 1_000_000_000n;
const SOON = { timeout: 30_000, interval: 50 };
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 50, ...simulate({ output_tokens: 3 }) };
let gateway: Gateway;

withGateway.beforeAll(({ gateway: shared }) => {
  gateway = shared;
});

function baseUrl(ingress: number): string {
  return gateway.stack.facts.base_urls[ingress] ?? '';
}

function at(ingress: number, wire: WireRequest): Promise<WireResponse> {
  return send(baseUrl(ingress), wire);
}

function chat(ingress: number, key: string, body: object | string = CALL): Promise<WireResponse> {
  return at(ingress, chatRequest(key, body));
}

function limited(limits: {
  requestsPerMinute?: bigint;
  tokensPerMinute?: bigint;
  openRequests?: number;
}): Promise<Account> {
  return gateway.accounts.create(DOLLAR, { limits });
}

/** Sends requests until one is rejected. @returns the error and the number of served ones */
async function exhaust(
  ask: () => Promise<WireResponse>,
  max = 200,
): Promise<{ refused: WireResponse; served: number }> {
  for (let served = 0; served < max; served++) {
    const response = await ask();
    if (response.status === 429) return { refused: response, served };
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
  }
  throw new Error(`${max} requests were answered`);
}

function header(response: WireResponse, name: string): string {
  return String(response.headers[name]);
}

describe('requests per minute', () => {
  it('of a key hold over all ingresses; the error names the limit, and a request after Retry-After is served', async () => {
    const { key } = await limited({ requestsPerMinute: 30n });
    let requested = 0;
    const { refused, served } = await exhaust(() => chat(requested++ % 2, key));
    expect(served).toBeGreaterThanOrEqual(5);
    expectModelError(refused, {
      status: 429,
      type: 'rate_limit_exceeded',
      message: "The API key's limit of 30 requests per minute is reached.",
    });
    const waitMs = Number(header(refused, 'retry-after-ms'));
    expect(waitMs).toBeLessThanOrEqual(2_000);
    expect(Number(header(refused, 'retry-after'))).toBe(Math.ceil(waitMs / 1_000));
    expect(refused.headers).toMatchObject({
      'x-ratelimit-limit-requests': '30',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': expect.stringMatching(/^\d+(\.\d+)?s$/),
    });
    await delay(waitMs);
    expect((await chat(requested % 2, key)).status).toBe(200);
  });

  it('of an account hold for all its keys together, and not for other accounts', async () => {
    const account = await gateway.accounts.create(DOLLAR);
    const second = await gateway.accounts.createKey(account.accountId, { limits: { requestsPerMinute: 600n } });
    await gateway.accounts.updateAccount(account.accountId, { limits: { requestsPerMinute: 30n } });
    let requested = 0;
    const { refused } = await exhaust(() => chat(0, requested++ % 2 === 0 ? account.key : second.key));
    expectModelError(refused, {
      status: 429,
      type: 'rate_limit_exceeded',
      message: "The account's limit of 30 requests per minute is reached.",
    });
    const other = await gateway.accounts.create(DOLLAR);
    expect((await chat(0, other.key)).status).toBe(200);
  });

  it('change at every ingress before the call returns', async () => {
    const account = await limited({ requestsPerMinute: 6n });
    await exhaust(() => chat(0, account.key));
    await gateway.accounts.updateKey(account.keyId, { limits: { requestsPerMinute: 60_000n } });
    // A higher limit fills its bucket at once.
    await delay(20);
    for (const ingress of [0, 1, 0, 1]) {
      const response = await chat(ingress, account.key);
      expect({ status: response.status, limit: response.headers['x-ratelimit-limit-requests'] }).toEqual({
        status: 200,
        limit: '60000',
      });
    }
    await gateway.accounts.updateKey(account.keyId, { limits: {} });
    for (const ingress of [0, 1]) {
      const { status, headers } = await chat(ingress, account.key);
      expect({ status, reported: Object.keys(headers).filter((name) => name.includes('ratelimit')) }).toEqual({
        status: 200,
        reported: [],
      });
    }
  });

  it('are checked after the key and before the body, and count a request with an invalid body', async () => {
    const { key } = await limited({ requestsPerMinute: 12n });
    expect((await chat(0, key, '{"model":')).status).toBe(400);
    expect((await chat(0, key, CALL)).status).toBe(200);
    expect((await chat(0, key, '{"model":')).status).toBe(429);
    const tooLarge = await chat(1, key, `"${'a'.repeat(MAX_BODY_BYTES)}"`);
    expect(tooLarge.status).toBe(429);
    expect((await at(0, { path: '/v1/nowhere', headers: { 'x-api-key': key } })).status).toBe(429);
    expect((await chat(0, `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`, '{"model":')).status).toBe(401);
  });

  it('do not count billing calls', async () => {
    const { key } = await limited({ requestsPerMinute: 6n });
    for (let requested = 0; requested < 5; requested++) {
      expect((await at(0, { path: '/v1/billing/balance', headers: { 'x-api-key': key } })).status).toBe(200);
    }
    expect((await chat(0, key)).status).toBe(200);
  });
});

describe('official SDKs', () => {
  it('of OpenAI read the remaining requests, and retry after the wait', async () => {
    const { key } = await limited({ requestsPerMinute: 60n, tokensPerMinute: 60_000n });
    const client = gateway.openai(key, baseUrl(0));
    const { response } = await client.chat.completions.create({ model: 'small', messages: say('Hi') }).withResponse();
    expect(Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('x-ratelimit')))).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-reset-requests': expect.stringMatching(/^(1s|9\d\dms)$/),
      'x-ratelimit-limit-tokens': '60000',
      'x-ratelimit-remaining-tokens': expect.stringMatching(/^99\d\d$/),
      'x-ratelimit-reset-tokens': expect.stringMatching(/^\d+ms$/),
    });
    let error: unknown;
    for (let requested = 0; requested < 100 && error === undefined; requested++) {
      error = await client.models.retrieve('small').then(
        () => undefined,
        (reason: unknown) => reason,
      );
    }
    if (!(error instanceof OpenAI.RateLimitError)) throw new Error(`no request was rejected: ${String(error)}`);
    expect(error.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(error.type).toBe('rate_limit_exceeded');
    const patient = new OpenAI({ apiKey: key, baseURL: baseUrl(1), maxRetries: 2 });
    expect((await patient.models.retrieve('small')).id).toBe('small');
  });

  it('of Anthropic read the same in their own headers', async () => {
    const { key } = await limited({ requestsPerMinute: 12n, tokensPerMinute: 60_000n });
    const client = new Anthropic({ apiKey: key, baseURL: baseUrl(0), maxRetries: 0 });
    const ask = () =>
      client.messages.create({ model: 'small', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] });
    const { response } = await ask().withResponse();
    const reported = Object.fromEntries([...response.headers].filter(([name]) => name.includes('ratelimit')));
    expect(reported).toMatchObject({
      'anthropic-ratelimit-requests-limit': '12',
      'anthropic-ratelimit-requests-remaining': '1',
      'anthropic-ratelimit-tokens-limit': '60000',
    });
    for (const name of ['anthropic-ratelimit-requests-reset', 'anthropic-ratelimit-tokens-reset']) {
      expect(reported[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(String(reported[name])) - Date.now()).toBeLessThan(6_000);
    }
    await ask();
    const error = await ask().catch((reason: unknown) => reason);
    if (!(error instanceof Anthropic.RateLimitError)) throw new Error(`no request was rejected: ${String(error)}`);
    expect(error.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
    const patient = new Anthropic({ apiKey: key, baseURL: baseUrl(1), maxRetries: 3 });
    expect((await patient.models.retrieve('small')).id).toBe('small');
  });
});

describe('responses of every protocol', () => {
  const text = { role: 'user', content: 'Hi' };
  const google = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
  const openai = ['x-ratelimit-limit-', 'x-ratelimit-remaining-', 'x-ratelimit-reset-'];
  const ofOpenAI = (kind: string) => openai.map((name) => `${name}${kind}`);
  const ofAnthropic = (kind: string) =>
    ['limit', 'remaining', 'reset'].map((what) => `anthropic-ratelimit-${kind}-${what}`);

  it.each([
    ['/v1/chat/completions', CALL, ofOpenAI, undefined],
    ['/v1/chat/completions', { ...CALL, stream: true }, ofOpenAI, undefined],
    ['/v1/responses', { model: 'small', input: 'Hi', max_output_tokens: 20 }, ofOpenAI, undefined],
    ['/v1/embeddings', { model: 'embed-openai', input: 'Hi' }, ofOpenAI, undefined],
    ['/v1/messages', { model: 'small', max_tokens: 20, messages: [text] }, ofAnthropic, 'messages' as const],
    ['/v1beta/models/small:generateContent', google, ofOpenAI, 'generative' as const],
    ['/v1beta/models/small:streamGenerateContent', google, ofOpenAI, 'generative' as const],
  ])('on %s %#: report the remaining requests, and the error when to retry', async (path, body, names, surface) => {
    const { key } = await limited({ requestsPerMinute: 6n, tokensPerMinute: 60_000n });
    const ask = () => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      return at(0, { method: 'POST', path, headers, body: JSON.stringify(body) });
    };
    const served = await ask();
    expect({ status: served.status, text: served.text }).toMatchObject({ status: 200 });
    const reported = Object.keys(served.headers).filter((name) => name.includes('ratelimit'));
    const standard = ['ratelimit', 'ratelimit-policy'];
    expect(reported.sort()).toEqual([...names('requests'), ...names('tokens'), ...standard].sort());
    expect(served.headers['ratelimit-policy']).toBe('"key-requests";q=6;w=60');
    const { refused } = await exhaust(ask, 5);
    const message = "The API key's limit of 6 requests per minute is reached.";
    expectModelError(refused, { status: 429, type: 'rate_limit_exceeded', message, ...(surface && { surface }) });
    for (const name of names('requests')) expect(refused.headers[name]).toBeDefined();
    expect(header(refused, names('requests')[1] ?? '')).toBe('0');
    expect(header(refused, 'ratelimit')).toMatch(/^"key-requests";r=0;t=\d+$/);
    expect(Number(header(refused, 'retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(header(refused, 'retry-after-ms'))).toBeGreaterThan(0);
  });
});

describe('tokens per minute', () => {
  const remaining = (response: WireResponse) => Number(header(response, 'x-ratelimit-remaining-tokens'));

  it('are taken by the length of the body, and corrected by the usage', async () => {
    const { key } = await limited({ tokensPerMinute: 60n });
    const body = { ...CALL, max_tokens: 200, ...simulate({ output_tokens: 40 }) };
    // A full bucket has 10, all of which a longer body takes; some 48 were used.
    const first = await chat(0, key, body);
    expect([first.status, remaining(first)]).toEqual([200, 0]);
    await expect.poll(async () => Number(header(await chat(1, key), 'retry-after-ms')), SOON).toBeGreaterThan(30_000);
    const refused = await chat(1, key);
    expectModelError(refused, {
      status: 429,
      type: 'rate_limit_exceeded',
      message: "The API key's limit of 60 tokens per minute is reached.",
    });
    expect(Number(header(refused, 'retry-after-ms'))).toBeLessThan(60_000);
  });

  it('are returned if unused', async () => {
    const { key } = await limited({ tokensPerMinute: 600n });
    const full = 100;
    expect((await chat(0, key, { ...CALL, model: 'nowhere', x_padding: 'a'.repeat(2_000) })).status).toBe(400);
    await expect
      .poll(async () => {
        const response = await at(1, { path: '/v1/models', headers: { 'x-api-key': key } });
        expect(response.headers['x-ratelimit-limit-tokens']).toBeUndefined();
        const probe = await chat(1, key, '{}');
        return remaining(probe);
      }, SOON)
      .toBeGreaterThanOrEqual(full - 1);
  });

  it('of a stream are corrected when it ends', async () => {
    const { key } = await limited({ tokensPerMinute: 1_200n });
    const body = { ...CALL, stream: true, max_tokens: 1_200, ...simulate({ output_tokens: 1_200 }) };
    const stream = await open(baseUrl(0), chatRequest(key, body));
    await readText(stream);
    // Of the 200 tokens in a full bucket 1,200 were used, which takes 50 s to refill. The stream does not wait for Redis.
    await expect.poll(async () => Number(header(await chat(1, key), 'retry-after-ms')), SOON).toBeGreaterThan(30_000);
  });

  it('of a stream are corrected when its client disconnects', async () => {
    const { key } = await limited({ tokensPerMinute: 6_000n });
    const body = { ...CALL, stream: true, max_tokens: 500, ...simulate({ output_tokens: 500, token_delay_ms: 100 }) };
    // As long as a full bucket of 1,000, which would take ten seconds to fill again.
    const stream = await open(baseUrl(0), chatRequest(key, JSON.stringify(body).padEnd(4_000)));
    expect(stream.headers['x-ratelimit-remaining-tokens']).toBe('0');
    stream.destroy();
    const probe = async () => remaining(await chat(1, key, '{}'));
    await expect.poll(probe, { timeout: 5_000, interval: 50 }).toBeGreaterThan(800);
  });
});

describe('open requests', () => {
  const LONG = { ...CALL, stream: true, max_tokens: 2_000, ...simulate({ output_tokens: 2_000, token_delay_ms: 50 }) };

  it('count over all ingresses, until the response ends or its client disconnects', async () => {
    const { key } = await limited({ openRequests: 2 });
    const streams = await Promise.all([0, 1].map((ingress) => open(baseUrl(ingress), chatRequest(key, LONG))));
    expect(streams.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    for (const ingress of [0, 1]) {
      const refused = await chat(ingress, key);
      expectModelError(refused, {
        status: 429,
        type: 'rate_limit_exceeded',
        message: "The API key's limit of 2 open requests is reached.",
      });
      expect(header(refused, 'retry-after')).toBe('1');
    }
    streams[0]?.destroy();
    await expect.poll(async () => (await chat(1, key)).status, SOON).toBe(200);
    streams[1]?.destroy();
  });

  it('never reject sequential requests, at any ingress', async () => {
    const { key } = await limited({ openRequests: 1 });
    const statuses: number[] = [];
    for (let requested = 0; requested < 40; requested++) {
      const body = requested % 3 === 0 ? '{}' : { ...CALL, stream: requested % 2 === 0 };
      statuses.push((await chat(requested % 2, key, body)).status);
    }
    expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
  });
});

describe('limits of a model', () => {
  it('hold for each account, under every name and protocol, once the catalogue is loaded', async () => {
    const [account, other] = await Promise.all([gateway.accounts.create(DOLLAR), gateway.accounts.create(DOLLAR)]);
    expect((await chat(0, account.key)).headers['x-ratelimit-limit-requests']).toBeUndefined();
    const before = await readFile(gateway.catalogueFile, 'utf8');
    await writeFile(gateway.catalogueFile, withLimits(before, 'small', { requests_per_minute: 24 }));
    for (const ingress of [0, 1]) {
      await expect
        .poll(async () => (await chat(ingress, other.key)).headers['x-ratelimit-limit-requests'], SOON)
        .toBe('24');
    }
    const calls = [
      () => chat(0, account.key),
      () => chat(1, account.key, { ...CALL, model: 'small-latest' }),
      () =>
        at(0, {
          method: 'POST',
          path: '/v1beta/models/small:generateContent',
          headers: { 'x-goog-api-key': account.key, 'content-type': 'application/json' },
          body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
        }),
    ];
    let requested = 0;
    const { refused, served } = await exhaust(() => calls[requested++ % calls.length]?.() ?? chat(0, account.key));
    expect(served).toBeLessThanOrEqual(8);
    expect(refused.text).toContain("The account's limit of 24 requests per minute for this model is reached.");
    expect((await chat(1, account.key, { ...CALL, model: 'odd' })).status).toBe(200);
    const third = await gateway.accounts.create(DOLLAR);
    expect((await chat(1, third.key)).status).toBe(200);
    await writeFile(gateway.catalogueFile, before);
    for (const ingress of [0, 1]) {
      const responded = async () => {
        const { status, headers } = await chat(ingress, account.key);
        return { status, limit: headers['x-ratelimit-limit-requests'] };
      };
      await expect.poll(responded, SOON).toEqual({ status: 200, limit: undefined });
    }
  });
});

/** A catalogue in which one model has limits. */
function withLimits(catalogue: string, id: string, limits: object): string {
  return catalogue.replace(`{"id":"${id}",`, (start) => `${start}"limits":${JSON.stringify(limits)},`);
}
