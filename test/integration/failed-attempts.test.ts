import { newAccountTag, newKey } from '@tollgate/common/keys/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import type { WireAnswer } from './support/http.ts';

const BURST = 20;
const REFUSED = { status: 401, type: 'invalid_api_key' };
const SLOWED = { status: 429, type: 'rate_limit_exceeded' };
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { FAILED_ATTEMPTS_BURST: String(BURST), TRUSTED_PROXIES: '127.0.0.0/8' } });
});
afterAll(() => gateway.stop());

/** A request that a trusted proxy passes on. */
function ask(key: string, from: string, path = '/v1/models'): Promise<WireAnswer> {
  return gateway.send({ path, headers: { 'x-api-key': key, 'x-forwarded-for': from } });
}

function madeUp(tag = newAccountTag()): string {
  return newKey('tollgate', tag).text;
}

/** Uses up what an address may look up; with more keys than that, also some of what it may later. */
async function flood(from: string, keys = 100): Promise<WireAnswer[]> {
  return Promise.all(Array.from({ length: keys }, () => ask(madeUp(), from)));
}

describe('made-up keys from one address', () => {
  it('are told to slow down after a while, and those of other addresses are not', async () => {
    const answers = await flood('198.51.100.1');
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const slowed = answers.find(({ status }) => status === 429);
    if (slowed === undefined) throw new Error('none was slowed');
    expectModelError(slowed, { ...SLOWED, message: /keys that are not valid came from your address/ });
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    expectModelError(await ask(madeUp(), '198.51.100.2'), REFUSED);
    expectModelError(await ask(madeUp(), '2001:db8::1'), REFUSED);
  });

  it('leave good keys of that address alone, known ones and new ones of known accounts', async () => {
    const from = '198.51.100.3';
    const known = await gateway.accounts.create(0n);
    expect((await ask(known.key, from)).status).toBe(200);
    await flood(from);
    const { key: fresh } = await gateway.accounts.createKey(known.accountId);
    expect((await ask(fresh, from)).status).toBe(200);
    for (let time = 0; time < 30; time++) expect((await ask(known.key, from)).status).toBe(200);
  });

  it('have a key that nobody here knows wait its turn there, and nowhere else', async () => {
    const from = '198.51.100.4';
    await flood(from);
    const stranger = await gateway.accounts.create(0n);
    const refused = await ask(stranger.key, from);
    expectModelError(refused, SLOWED);
    expect((await ask(stranger.key, '198.51.100.5')).status).toBe(200);
    expect((await ask(stranger.key, from)).status).toBe(200);
  });

  it('get a turn again once there has been time', async () => {
    const from = '198.51.100.6';
    const stranger = await gateway.accounts.create(0n);
    await flood(from, BURST + 2);
    expect((await ask(stranger.key, from)).status).toBe(429);
    await expect.poll(async () => (await ask(stranger.key, from)).status, { timeout: 10_000 }).toBe(200);
  });

  it('that name a known account have its other keys wait from that address alone', async () => {
    const from = '198.51.100.7';
    const known = await gateway.accounts.create(0n);
    expect((await ask(known.key, '198.51.100.8')).status).toBe(200);
    const tag = known.key.slice('sk-tollgate-'.length, 'sk-tollgate-'.length + newAccountTag().length);
    await flood(from);
    await Promise.all(Array.from({ length: 60 }, () => ask(madeUp(tag), from)));
    const { key: fresh } = await gateway.accounts.createKey(known.accountId);
    expect((await ask(fresh, from)).status).toBe(429);
    expect((await ask(fresh, '198.51.100.8')).status).toBe(200);
    expect((await ask(known.key, from)).status).toBe(200);
  });
});

describe('malformed keys from one address', () => {
  it('are held back, and never keep a new good key from being looked up', async () => {
    const from = '198.51.100.9';
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(`sk-tollgate-${index}`, from)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const held = answers.filter(({ status }) => status === 401).length - BURST;
    expect(held).toBeGreaterThanOrEqual(32);
    // One more is granted with each second that this takes.
    expect(held).toBeLessThan(45);
    const stranger = await gateway.accounts.create(0n);
    expect((await ask(stranger.key, from)).status).toBe(200);
  });
});

describe('the log of failed authentications', () => {
  it('has each address with its count, and no key', async () => {
    const key = madeUp();
    await ask(key, '198.51.100.10');
    await ask('sk-tollgate-mistyped', '198.51.100.10', '/v1/billing/balance');
    await gateway.stack.restart('ingress');
    const lines = gateway.stack.logs.read('ingress');
    const told = lines.filter((line) => line.includes('"failed authentications"'));
    const line = told.find((each) => each.includes('198.51.100.10'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ count: 2, reasons: { unknown: 1, malformed: 1 } });
    expect(lines.filter((each) => each.includes(key) || each.includes('mistyped'))).toEqual([]);
  });
});
