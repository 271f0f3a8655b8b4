import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { chatRequest, say, simulate } from '@tollgate/test-support/gateway/gateway';
import { send, type WireRequest } from '@tollgate/test-support/gateway/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gateway, loadValues, merged, reach } from './support/gateway.ts';
import { Release } from './support/release.ts';

const MIB = 1024 * 1024;
const MAX_BODY_BYTES = 32 * MIB;
const FUNDS = 1_000_000_000_000n;
/** Two of 32 MiB from each of eight accounts are twice the buffer. */
const ACCOUNTS = 8;
/** Large bodies wait for room and then for each other, on two cores that run the complete cluster. */
const PATIENCE_MS = 240_000;
/** Holds bodies for much longer than others wait for room, 10 s, and is without the limit of a context window. */
const CONTROLS = { head_delay_ms: 40_000, context_window: 100_000_000 };
const NON_READERS = 60;
const REFUSED = [429, 503];

const release = new Release();
let gateway: Gateway;
let accounts: Account[];
let other: Account;

beforeAll(async () => {
  // The ingress has the chart's memory limit, and one ingress receives everything. Its provider must receive as much.
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
  return z
    .object({ name: z.string(), restarts: z.int(), ended: z.string().optional(), ready: z.boolean() })
    .parse(pods[0]);
}

/** The status of a response, or why there was none. */
type Outcome = number | string;

function outcomeOf(wire: WireRequest): Promise<Outcome> {
  return send(release.url, { ...wire, timeoutMs: PATIENCE_MS }).then(({ status }) => status, String);
}

/** Makes short calls of another account and health checks while a function runs. @returns their results */
async function servedDuring(something: Promise<unknown>): Promise<{ calls: Outcome[]; health: Outcome[] }> {
  let over = false;
  const end = something.finally(() => {
    over = true;
  });
  const served: { calls: Outcome[]; health: Outcome[] } = { calls: [], health: [] };
  while (!over) {
    served.calls.push(await outcomeOf(chatRequest(other.key, { model: 'small', messages: say('Hi') })));
    served.health.push(await outcomeOf({ path: '/health/ready' }));
  }
  await end;
  return served;
}

/** A client that does not read its response. */
function readsNothing({ key }: Account, body: object): { responded: Promise<number>; leave: () => void } {
  const { headers = {}, path, body: sent } = chatRequest(key, body);
  const outgoing = request(new URL(path, release.url), { method: 'POST', headers, agent: new Agent() });
  const responded = new Promise<number>((resolve) => {
    outgoing.on('response', (response) => {
      response.on('error', () => undefined);
      resolve(response.statusCode ?? 0);
    });
    outgoing.on('error', () => resolve(0));
  });
  outgoing.end(sent);
  return { responded, leave: () => void outgoing.destroy() };
}

const unexpected = (outcomes: readonly Outcome[], expected: readonly Outcome[]) =>
  outcomes.filter((outcome) => !expected.includes(outcome));

describe("an ingress with the chart's memory limit", () => {
  it.each([
    // A character outside of Latin-1 doubles the size of a text.
    ['bodies of 32 MiB', (text: string) => ({ body: Buffer.from(text), encoding: 'identity' })],
    ['bodies that expand to 32 MiB', (text: string) => ({ body: gzipSync(text), encoding: 'gzip' })],
  ])('takes as many %s as it has room for, and serves others meanwhile', async (_, encode) => {
    const before = await ingress();
    const random = Array.from({ length: 100_000 }, (_unused, n) => ((n * 7_919) % 99_991).toString(36)).join(' ');
    const prompt = `☃${random.repeat(Math.floor((MAX_BODY_BYTES - 1_000) / random.length))}`;
    const { body, encoding } = encode(JSON.stringify({ model: 'small', messages: say(prompt), ...simulate(CONTROLS) }));
    const sent = Promise.all(
      [...accounts, ...accounts].map(({ key }) => {
        const call = chatRequest(key, '');
        return outcomeOf({ ...call, body, headers: { ...call.headers, 'content-encoding': encoding } });
      }),
    );
    const served = await servedDuring(sent);
    const outcomes = await sent;
    // With the state of the pod, which explains failures.
    expect({
      ingress: await ingress(),
      bodies: unexpected(outcomes, [200, ...REFUSED]),
      calls: unexpected(served.calls, [200]),
      health: unexpected(served.health, [200]),
    }).toEqual({ ingress: before, bodies: [], calls: [], health: [] });
    expect(outcomes).toContain(200);
    expect(outcomes.some((outcome) => REFUSED.some((refused) => refused === outcome))).toBe(true);
  });

  it('buffers unread responses up to its limit', async () => {
    const before = await ingress();
    const controls = simulate({ padding_bytes: 7_900_000, output_tokens: 400, stall_after_events: 300 });
    const buffered = simulate({ padding_bytes: 7_900_000 });
    const clients = Array.from({ length: NON_READERS }, (_, n) => {
      const stream = n % 2 === 0;
      const account = accounts[n % accounts.length] ?? other;
      return readsNothing(account, { model: 'small', messages: say('Hi'), stream, ...(stream ? controls : buffered) });
    });
    const responded = Promise.all(clients.map((client) => client.responded));
    const served = await servedDuring(responded);
    expect({
      ingress: await ingress(),
      responses: unexpected(await responded, [200, ...REFUSED]),
      calls: unexpected(served.calls, [200]),
      health: unexpected(served.health, [200]),
    }).toEqual({ ingress: before, responses: [], calls: [], health: [] });
    for (const client of clients) client.leave();
  });
});
