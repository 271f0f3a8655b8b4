import { setTimeout as delay } from 'node:timers/promises';
import { pingIntervalMs } from '@tollgate/auth/config';
import { AuthUnderTest, silent } from '@tollgate/auth/testing/auth-under-test';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { Link } from '@tollgate/test-support/network/link';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { RevocationWatch } from './revocation-watch.ts';

const TRUST_MS = 5_000;
const PING_INTERVAL_MS = pingIntervalMs({ TRUST_MS });
/** So short that streams are replaced, four times, before the keepalive of gRPC ends them. */
const SHORT_TRUST_MS = 1_000;
const WAIT = { timeout: 30_000, interval: 5 };

let database: FreshDatabase;
let auth: AuthUnderTest;
let link: Link;
let impatientAuth: AuthUnderTest;
let impatientLink: Link;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  const settings = { DATABASE_URL: database.url, REDIS_URL: redisUrl() };
  auth = await AuthUnderTest.start({ ...settings, TRUST_MS: String(TRUST_MS) });
  impatientAuth = await AuthUnderTest.start({ ...settings, TRUST_MS: String(SHORT_TRUST_MS) });
  link = await Link.open('ingress>auth', auth.address);
  impatientLink = await Link.open('ingress>auth', impatientAuth.address);
});
afterEach(async () => {
  for (const one of [link, impatientLink]) one.set({ kind: 'open' });
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await Promise.all([link?.close(), impatientLink?.close()]);
  await Promise.all([auth?.stop(), impatientAuth?.stop()]);
  await database?.drop();
});

interface Watched {
  watch: RevocationWatch;
  /** Streams opened so far, and how many of them have brought anything. */
  streams: () => number;
  worked: () => number;
  trusted: () => boolean;
}

/** A watch behind a link. */
function watchThrough(through: Link): Watched {
  const client = createGrpcClient(AuthServiceClient, through.address);
  let worked = 0;
  const open: typeof client.watchRevocations = client.watchRevocations.bind(client);
  const opened = vi.spyOn(client, 'watchRevocations').mockImplementation(() =>
    open().once('data', () => {
      worked += 1;
    }),
  );
  const watch = new RevocationWatch({ auth: client, watcherId: newId(), ingressName: 'test', logger: silent });
  watch.start();
  closing.push(async () => {
    through.set({ kind: 'open' });
    await watch.stop();
    client.close();
  });
  return {
    watch,
    streams: () => opened.mock.calls.length,
    worked: () => worked,
    trusted: () => watch.trusted(),
  };
}

const becomes = (trusted: boolean, watched: { trusted: () => boolean }) =>
  vi.waitFor(() => expect(watched.trusted()).toBe(trusted), WAIT);

/** Samples for a while whether it is trusted. */
async function looksFor(ms: number, { trusted }: { trusted: () => boolean }): Promise<Set<boolean>> {
  const seen = new Set<boolean>();
  for (const end = performance.now() + ms; performance.now() < end; await delay(5)) seen.add(trusted());
  return seen;
}

describe('an ingress far away from auth', () => {
  it.each([1.5, 2.5])(
    'is trusted, and stays so, on one stream with a round trip of %s ping intervals',
    async (intervals) => {
      link.set({ kind: 'slow', byMs: (intervals * PING_INTERVAL_MS) / 2 });
      const watched = watchThrough(link);
      await becomes(true, watched);
      const streams = watched.streams();
      expect(await looksFor(TRUST_MS * 1.5, watched)).toEqual(new Set([true]));
      expect(watched.streams()).toBe(streams);
    },
  );

  it('delays a deletion, and has received it when that returns', async () => {
    link.set({ kind: 'slow', byMs: 300 });
    const watched = watchThrough(link);
    await becomes(true, watched);
    const { accountId } = await auth.createAccount();
    const { key } = await auth.createKey(accountId);
    const before = watched.watch.revoked.position;
    await auth.deleteKey(key.keyId);
    expect(watched.watch.revoked.position).toBe(before + 1);
    expect(watched.trusted()).toBe(true);
  });

  it('trusts nothing when a deletion returns that it has not received, however long it waits for its stream', async () => {
    // A stream is replaced after three round trips without an answer, which is longer than trust lasts.
    link.set({ kind: 'slow', byMs: 1_900 });
    const watched = watchThrough(link);
    await becomes(true, watched);
    await looksFor(5_000, watched);
    const before = watched.watch.revoked.position;
    const streams = watched.streams();
    link.set({ kind: 'stalled' });
    const { accountId } = await auth.createAccount();
    const { key } = await auth.createKey(accountId);
    await auth.deleteKey(key.keyId);
    expect(watched.trusted()).toBe(false);
    expect(watched.streams()).toBe(streams);
    expect(watched.watch.revoked.position).toBe(before);
    link.set({ kind: 'open' });
    await becomes(true, watched);
    expect(watched.watch.revoked.position).toBe(before + 1);
  });
});

describe('an ingress whose auth does not respond', () => {
  it('backs off, and starts over once a stream has worked', async () => {
    const watched = watchThrough(impatientLink);
    await becomes(true, watched);
    expect(watched.streams()).toBe(1);
    impatientLink.set({ kind: 'stalled' });
    const times: number[] = [];
    for (let streams = 1; streams < 5; streams = watched.streams()) {
      await vi.waitFor(() => expect(watched.streams()).toBeGreaterThan(streams), WAIT);
      times.push(performance.now());
    }
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).toHaveLength(3);
    for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThan((gaps[index - 1] ?? 0) * 1.4);
    impatientLink.set({ kind: 'open' });
    await becomes(true, watched);
    impatientLink.set({ kind: 'stalled' });
    const streams = watched.streams();
    const stalledAt = performance.now();
    await vi.waitFor(() => expect(watched.streams()).toBe(streams + 1), WAIT);
    expect(performance.now() - stalledAt).toBeLessThan(gaps[2] ?? 0);
  });
});

describe('an ingress whose streams break as soon as they work', () => {
  it('opens at most one a second after a while', async () => {
    const watched = watchThrough(impatientLink);
    await becomes(true, watched);
    const times: number[] = [];
    for (let worked = 2; worked <= 8; worked += 1) {
      impatientLink.set({ kind: 'cut' });
      impatientLink.set({ kind: 'open' });
      await vi.waitFor(() => expect(watched.worked()).toBe(worked), WAIT);
      times.push(performance.now());
    }
    expect((times[6] ?? 0) - (times[5] ?? 0)).toBeGreaterThan(900);
  });
});
