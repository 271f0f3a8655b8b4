import { once } from 'node:events';
import { request } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { newAccountTag, newKey } from '@tollgate/common/keys/index';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { memoryOf, resetPeak } from '@tollgate/test-support/gateway/memory';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

const MIB = 1024 * 1024;
const MAX_BODY_BYTES = 32 * MIB;
/** Half of it is available to one account. */
const MAX_BUFFERED_BYTES = 64 * MIB;

let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  gateway = await startGateway({
    env: { MAX_BODY_BYTES: String(MAX_BODY_BYTES), MAX_BUFFERED_BYTES: String(MAX_BUFFERED_BYTES) },
  });
  account = await gateway.accounts.create(1_000_000_000n);
  expect((await gateway.chat(account.key, { model: 'small', messages: say('Hi') })).status).toBe(200);
});
afterAll(() => gateway.stop());

/** Sends the same body many times concurrently. @returns the maximum growth of the ingress's memory */
async function flood(count: number, key: string, body: Buffer, encoding?: string) {
  const request = chatRequest(key, '');
  const headers = { ...request.headers, ...(encoding === undefined ? {} : { 'content-encoding': encoding }) };
  resetPeak(gateway);
  const before = memoryOf(gateway).now;
  const sent = Array.from({ length: count }, () => gateway.send({ ...request, headers, body }));
  const other = gateway.accounts
    .create(1_000_000_000n)
    .then(({ key: theirs }) => gateway.chat(theirs, { model: 'small', messages: say('Hi') }));
  const responses = await Promise.all(sent);
  expect((await other).status).toBe(200);
  return { responses, grownMiB: Math.round((memoryOf(gateway).peak - before) / MIB), before };
}

const statuses = (responses: WireResponse[]) => [...new Set(responses.map(({ status }) => status))].sort();
const ofA = Buffer.alloc(MAX_BODY_BYTES, 'a');

it('decompresses nothing for an unknown key', async () => {
  const unknown = newKey('tollgate', newAccountTag()).text;
  const { responses, grownMiB } = await flood(50, unknown, brotliCompressSync(ofA), 'br');
  expect(statuses(responses)).toEqual([401]);
  expect(grownMiB).toBeLessThan(50);
});

it('rejects bodies of a few bytes that expand to 32 MiB, without decompressing them', async () => {
  const { responses, grownMiB } = await flood(50, account.key, brotliCompressSync(ofA), 'br');
  expect(statuses(responses)).toEqual([400]);
  expect(grownMiB).toBeLessThan(300);
});

it('rejects the same in gzip', async () => {
  const { responses, grownMiB } = await flood(12, account.key, gzipSync(ofA), 'gzip');
  expect(statuses(responses)).toEqual([400]);
  expect(grownMiB).toBeLessThan(200);
});

it('buffers responses up to its limit', async () => {
  const body = Buffer.from(
    JSON.stringify({ model: 'small', messages: say('Hi'), ...simulate({ padding_bytes: 7 * MIB }) }),
  );
  const { responses, grownMiB } = await flood(16, account.key, body);
  expect(statuses(responses).filter((status) => status !== 429)).toEqual([200]);
  expect(grownMiB).toBeLessThan(300);
});

it('buffers bodies up to its limit, lets others wait, and releases the memory', async () => {
  const body = Buffer.from(JSON.stringify({ model: 'none', messages: say('a'.repeat(MAX_BODY_BYTES / 2)) }));
  const { responses, grownMiB, before } = await flood(16, account.key, body);
  expect(statuses(responses).filter((status) => status !== 429)).toEqual([400]);
  expect(grownMiB).toBeLessThan(300);
  await expect.poll(() => memoryOf(gateway).now - before, { timeout: 60_000, interval: 500 }).toBeLessThan(100 * MIB);
});

it('releases the memory of a peak also while it serves other requests', async () => {
  const body = Buffer.from(JSON.stringify({ model: 'none', messages: say('a'.repeat(MAX_BODY_BYTES / 2)) }));
  const { before } = await flood(16, account.key, body);
  let released = false;
  const traffic = async () => {
    while (!released) await gateway.chat(account.key, { model: 'small', messages: say('Hi') });
  };
  const ended = traffic();
  try {
    await expect.poll(() => memoryOf(gateway).now - before, { timeout: 60_000, interval: 500 }).toBeLessThan(60 * MIB);
  } finally {
    released = true;
    await ended;
  }
});

it('reserves nothing for declared bodies that do not arrive', async () => {
  const accounts = await Promise.all([1, 2].map(() => gateway.accounts.create(1_000_000_000n)));
  const silent = accounts.flatMap(({ key }) =>
    Array.from({ length: 4 }, () => {
      const { headers, path } = chatRequest(key, '');
      const outgoing = request(new URL(path, gateway.baseUrl), {
        method: 'POST',
        headers: { ...headers, 'content-length': MAX_BODY_BYTES, expect: '100-continue' },
      });
      outgoing.on('error', () => undefined);
      outgoing.flushHeaders();
      return outgoing;
    }),
  );
  onTestFinished(() => {
    for (const outgoing of silent) outgoing.destroy();
  });
  // The ingress sends 100 Continue when it is about to read a body.
  await Promise.all(silent.map((outgoing) => once(outgoing, 'continue')));
  for (const outgoing of silent) outgoing.write('{');
  const body = { model: 'none', messages: say('a'.repeat(MAX_BODY_BYTES / 2)) };
  const responses = await Promise.all([account, ...accounts].map(({ key }) => gateway.chat(key, body)));
  expect(responses.map(({ status }) => status)).toEqual([400, 400, 400]);
});
