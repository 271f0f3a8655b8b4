import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BufferBudget } from '../../shared/buffers/buffer-budget.ts';
import type { TollgateRequest } from '../../shared/request/request-context.ts';
import { type BodyResult, readBody } from './body.ts';

const KIB = 1024;
const LIMIT_BYTES = 4096 * KIB;
/** Half of it is one account's: two bodies. */
const BUDGET_BYTES = 4 * LIMIT_BYTES;
/** Longer than a test takes. */
const NEVER_MS = 600_000;

let budget: BufferBudget;
let server: Server;
let results: { account: string; result: BodyResult }[];
let arrived: number;
let latest: IncomingMessage | undefined;

beforeEach(async () => {
  budget = new BufferBudget(BUDGET_BYTES, { waitMs: NEVER_MS });
  results = [];
  arrived = 0;
  latest = undefined;
  server = createServer((req, res) => {
    arrived += 1;
    latest = req;
    const account = req.headers.authorization ?? '';
    const reservation = budget.open(account);
    res.on('close', () => reservation.release());
    void readBody(req as TollgateRequest, LIMIT_BYTES, reservation).then((result) => {
      results.push({ account, result });
      if (account !== 'keeps') res.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Begins a request, whose body is to be written. */
function begin(account: string, headers: Record<string, string | number> = {}) {
  const { port } = server.address() as AddressInfo;
  const outgoing = httpRequest({ port, method: 'POST', headers: { authorization: account, ...headers } });
  outgoing.on('error', () => undefined).on('response', (res) => res.resume());
  outgoing.flushHeaders();
  return outgoing;
}

function begins(count: number, length: number, account: string) {
  return Array.from({ length: count }, () => begin(account, { 'content-length': length }));
}

const bodyOf = (account: string) => results.find((each) => each.account === account)?.result;
const bytesOf = (account: string) => {
  const result = bodyOf(account);
  return result?.kind === 'body' ? result.bytes : result;
};

describe('a body', () => {
  it.each(['a declared length', 'chunks', 'gzip'])('is read as it was sent, by %s', async (how) => {
    const sent = Buffer.from(Array.from({ length: 60_000 }, (_, n) => n).join());
    const wire = how === 'gzip' ? gzipSync(sent) : sent;
    const outgoing = begin('a', {
      ...(how === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
      ...(how === 'chunks' ? {} : { 'content-length': wire.length }),
    });
    for (let at = 0; at < wire.length; at += 1_000) outgoing.write(wire.subarray(at, at + 1_000));
    outgoing.end();
    await expect.poll(() => bytesOf('a')).toBeDefined();
    expect(sent.equals(bytesOf('a') as Buffer)).toBe(true);
    await expect.poll(() => budget.usedBytes).toBe(0);
  });

  it('reserves memory for what has arrived, not for what it declares', async () => {
    for (const account of ['one', 'two']) for (const each of begins(10, LIMIT_BYTES, account)) each.write('x');
    await expect.poll(() => arrived).toBe(20);
    const other = begin('other', { 'content-length': LIMIT_BYTES / 2 });
    other.end(Buffer.alloc(LIMIT_BYTES / 2));
    await expect.poll(() => bytesOf('other')).toHaveLength(LIMIT_BYTES / 2);
    await expect.poll(() => budget.usedBytes).toBe(20 * 16 * KIB);
  });

  it('reserves at most twice what has arrived, and its own size once it is complete', async () => {
    const outgoing = begin('keeps');
    outgoing.write(Buffer.alloc(100 * KIB));
    await expect.poll(() => budget.usedBytes).toBeGreaterThanOrEqual(100 * KIB);
    expect(budget.usedBytes).toBeLessThanOrEqual(200 * KIB);
    outgoing.end('x');
    await expect.poll(() => bytesOf('keeps')).toHaveLength(100 * KIB + 1);
    expect(budget.usedBytes).toBe(100 * KIB + 1);
  });

  it('is read concurrently with as many others as fit, while more of them wait', async () => {
    const length = (LIMIT_BYTES / 8) * 7;
    for (const each of begins(5, length, 'keeps')) each.end(Buffer.alloc(length));
    await expect.poll(() => results.length).toBe(2);
    expect(results.map(({ result }) => result.kind)).toEqual(['body', 'body']);
  });

  it.each([{}, { 'content-length': 2 }])(
    'that waits for room until its end is read when there is some: %j',
    async (headers) => {
      const held = budget.open('a');
      held.tryGrow(2 * LIMIT_BYTES);
      begin('a', headers).end('xy');
      await expect.poll(() => latest?.isPaused()).toBe(true);
      held.release();
      await expect.poll(() => bytesOf('a')).toEqual(Buffer.from('xy'));
    },
  );

  it('larger than the limit is rejected by its declared length', async () => {
    begins(1, LIMIT_BYTES + 1, 'a');
    await expect.poll(() => bodyOf('a')).toMatchObject({ kind: 'refused', error: { status: 400 } });
  });

  it('is finished whatever else is sent at the same time', async () => {
    const outgoing = begins(12, LIMIT_BYTES, 'a');
    const chunk = Buffer.alloc(LIMIT_BYTES / 4);
    for (let n = 0; n < 4; n++) for (const each of outgoing) each.write(chunk);
    await expect
      .poll(() => results.map(({ result }) => result.kind), { timeout: 10_000 })
      .toEqual(Array(12).fill('body'));
  });
});
