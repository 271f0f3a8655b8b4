import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account } from '../integration/support/accounts.ts';
import { chatRequest, say, simulate } from '../integration/support/gateway.ts';
import { send } from '../integration/support/http.ts';
import { type Gateway, loadValues, merged, reach } from './support/gateway.ts';
import { Release } from './support/release.ts';

const MIB = 1024 * 1024;
const MAX_BODY_BYTES = 32 * MIB;
const FUNDS = 1_000_000_000_000n;
/** Two of 32 MiB from each of ten accounts are more than twice what is buffered. */
const ACCOUNTS = 10;
const NON_READERS = 60;
const REFUSED = [429, 503];

const release = new Release();
let gateway: Gateway;
let accounts: Account[];
let other: Account;

beforeAll(async () => {
  // The ingress's limit of memory is the chart's, and one ingress takes everything. Its provider has to take as much.
  const simulator = { resources: { limits: { memory: '4Gi' } } };
  await release.install(merged(loadValues(release), { ingress: { replicas: 1 }, evaluation: { simulator } }));
  await release.rolledOut('ingress');
  gateway = await reach(release);
  accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => gateway.accounts.create(FUNDS)));
  other = await gateway.accounts.create(FUNDS);
});
afterAll(() => gateway.stop());

/** The only ingress. */
async function ingress() {
  const pods = (await release.pods('ingress')).filter(({ leaving }) => !leaving);
  expect(pods).toHaveLength(1);
  return z.object({ name: z.string(), restarts: z.int(), ready: z.boolean() }).parse(pods[0]);
}

/** Statuses of short calls of another account, and of health checks, for as long as something lasts. */
async function servedDuring(something: Promise<unknown>): Promise<{ calls: number[]; health: number[] }> {
  let over = false;
  const end = something.finally(() => {
    over = true;
  });
  const served: { calls: number[]; health: number[] } = { calls: [], health: [] };
  while (!over) {
    const call = chatRequest(other.key, { model: 'small', messages: say('Hi') });
    served.calls.push((await send(release.url, call)).status);
    served.health.push((await send(release.url, { path: '/health/ready' })).status);
  }
  await end;
  return served;
}

/** A client that reads nothing of its answer. */
function readsNothing({ key }: Account, body: object): { answered: Promise<number>; leave: () => void } {
  const { headers = {}, path, body: sent } = chatRequest(key, body);
  const outgoing = request(new URL(path, release.url), { method: 'POST', headers, agent: new Agent() });
  const answered = new Promise<number>((resolve) => {
    outgoing.on('response', (answer) => {
      answer.on('error', () => undefined);
      resolve(answer.statusCode ?? 0);
    });
    outgoing.on('error', () => resolve(0));
  });
  outgoing.end(sent);
  return { answered, leave: () => void outgoing.destroy() };
}

const unexpected = (statuses: readonly number[], expected: readonly number[]) =>
  statuses.filter((status) => !expected.includes(status));

describe('an ingress with as much memory as the chart gives it', () => {
  it.each([
    // A character outside of Latin-1 doubles what a text takes.
    ['bodies of 32 MiB', (text: string) => ({ body: Buffer.from(text), encoding: 'identity' })],
    ['bodies that expand to 32 MiB', (text: string) => ({ body: gzipSync(text), encoding: 'gzip' })],
  ])('takes as many %s as it has room for, and serves others meanwhile', async (_, encode) => {
    const before = await ingress();
    const random = Array.from({ length: 100_000 }, (_unused, n) => ((n * 7_919) % 99_991).toString(36)).join(' ');
    const prompt = `☃${random.repeat(Math.floor((MAX_BODY_BYTES - 1_000) / random.length))}`;
    const { body, encoding } = encode(
      JSON.stringify({ model: 'small', messages: say(prompt), ...simulate({ head_delay_ms: 5_000 }) }),
    );
    const sent = Promise.all(
      [...accounts, ...accounts].map(async ({ key }) => {
        const call = chatRequest(key, '');
        const { status } = await send(release.url, {
          ...call,
          body,
          headers: { ...call.headers, 'content-encoding': encoding },
        });
        return status;
      }),
    );
    const { calls, health } = await servedDuring(sent);
    const statuses = await sent;
    expect({ unexpected: unexpected(statuses, [200, ...REFUSED]), calls: unexpected(calls, [200]) }).toEqual({
      unexpected: [],
      calls: [],
    });
    expect(unexpected(health, [200])).toEqual([]);
    expect(statuses).toContain(200);
    expect(statuses.some((status) => REFUSED.includes(status))).toBe(true);
    expect(await ingress()).toEqual(before);
  });

  it('keeps as much of answers that nobody reads as it has room for', async () => {
    const before = await ingress();
    const controls = simulate({ padding_bytes: 7_900_000, output_tokens: 400, stall_after_events: 300 });
    const whole = simulate({ padding_bytes: 7_900_000 });
    const clients = Array.from({ length: NON_READERS }, (_, n) => {
      const stream = n % 2 === 0;
      const account = accounts[n % accounts.length] ?? other;
      return readsNothing(account, { model: 'small', messages: say('Hi'), stream, ...(stream ? controls : whole) });
    });
    const answered = Promise.all(clients.map((client) => client.answered));
    const { calls, health } = await servedDuring(answered);
    expect(unexpected(await answered, [200, ...REFUSED])).toEqual([]);
    expect({ calls: unexpected(calls, [200]), health: unexpected(health, [200]) }).toEqual({ calls: [], health: [] });
    expect(await ingress()).toEqual(before);
    for (const client of clients) client.leave();
  });
});
