import type { ServerDuplexStream } from '@grpc/grpc-js';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { startGrpcServer } from '@tollgate/common/grpc/server';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import {
  AuthServiceClient,
  AuthServiceService,
  Revocation,
  type WatchRevocationsRequest,
  type WatchRevocationsResponse,
} from '@tollgate/proto/auth';
import { afterEach, expect, it, vi } from 'vitest';
import { RevocationWatch } from './revocation-watch.ts';

const silent = createLogger('test', 'silent');
const WAIT = { timeout: 30_000, interval: 5 };
const TRUST_MS = 5_000;
/** Shorter than a watch waits for a response before it replaces the stream. */
const ON_ITS_WAY_MS = 1_000;

/** Whether the watch was trusted, each time that it was recorded. */
const noted = vi.hoisted((): boolean[] => []);
vi.mock('./trust.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof import('./trust.ts')>()),
  createTrustMetrics: (trusted: () => boolean) => () => noted.push(trusted()),
}));

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A watch whose clocks stand still unless a test sets them, and an auth that responds to pings only on demand. */
async function openWatch() {
  const clock = { monotonic: 50_000, wall: 1_700_000_000_000 };
  const pings: bigint[] = [];
  const names = new Set<string>();
  let stream: ServerDuplexStream<WatchRevocationsRequest, WatchRevocationsResponse> | undefined;
  let answersAll = false;
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger: silent,
    definition: AuthServiceService,
    implementation: {
      watchRevocations: (call: ServerDuplexStream<WatchRevocationsRequest, WatchRevocationsResponse>) => {
        stream = call;
        call.on('data', ({ ping, ingressName }: WatchRevocationsRequest) => {
          pings.push(ping);
          names.add(ingressName);
          if (answersAll) call.write(answerTo(ping, TRUST_MS, []));
        });
        call.on('end', () => call.end());
      },
    },
    serviceName: 'tollgate.auth.v1.AuthService',
  });
  closing.push(() => server.stop(0));
  const client = createGrpcClient(AuthServiceClient, `127.0.0.1:${server.port}`);
  closing.push(() => client.close());
  const watch = new RevocationWatch({
    auth: client,
    watcherId: newId(),
    ingressName: 'ingress-0',
    logger: silent,
    clock: { monotonicMs: () => clock.monotonic, wallMs: () => clock.wall },
  });
  watch.start();
  closing.push(() => watch.stop());
  let sequence = 0n;
  return {
    watch,
    clock,
    names,
    firstPing: async () => {
      await vi.waitFor(() => expect(pings.length).toBeGreaterThan(0), WAIT);
      return pings[0] ?? 0n;
    },
    nextPing: async () => {
      const before = pings.length;
      await vi.waitFor(() => expect(pings.length).toBeGreaterThan(before), WAIT);
      return pings.at(-1) ?? 0n;
    },
    /** Responds to a ping, and waits until the response has arrived. */
    respond: async (ping: bigint, trustMs = TRUST_MS) => {
      sequence += 1n;
      const what = { $case: 'deadKeySha256', value: Buffer.alloc(32) } as const;
      stream?.write(answerTo(ping, trustMs, [Revocation.fromPartial({ sequence, what })]));
      await vi.waitFor(() => expect(watch.appliedSequence).toBe(sequence), WAIT);
    },
    /** Answers every ping from now on, and waits until the watch is trusted. */
    respondToAll: async () => {
      answersAll = true;
      await vi.waitFor(() => expect(watch.trusted()).toBe(true), WAIT);
      answersAll = false;
    },
  };
}

function answerTo(ping: bigint, trustMs: number, revocations: Revocation[]): WatchRevocationsResponse {
  return { revocations, ping, trustMs: BigInt(trustMs), pingIntervalMs: 50n };
}

it('names its ingress with each ping', async () => {
  const { names, firstPing, nextPing } = await openWatch();
  await firstPing();
  await nextPing();
  expect([...names]).toEqual(['ingress-0']);
});

it('trusts from the time it sent a ping, not from the time of the response', async () => {
  const { watch, clock, firstPing, respond } = await openWatch();
  const ping = await firstPing();
  clock.monotonic += ON_ITS_WAY_MS;
  clock.wall += ON_ITS_WAY_MS;
  await respond(ping);
  expect(watch.trusted()).toBe(true);
  clock.monotonic += TRUST_MS - ON_ITS_WAY_MS - 1;
  expect(watch.trusted()).toBe(true);
  clock.monotonic += 1;
  expect(watch.trusted()).toBe(false);
});

it('trusts nothing after its machine was suspended, until it gets a response to a ping sent since', async () => {
  const { watch, clock, firstPing, respond, respondToAll } = await openWatch();
  const before = await firstPing();
  await respond(before);
  expect(watch.trusted()).toBe(true);
  // The monotonic clock stood still meanwhile.
  clock.wall += TRUST_MS;
  expect(watch.trusted()).toBe(false);
  await respondToAll();
});

it('does not extend trust by a response that arrived while its machine was suspended', async () => {
  const { watch, clock, firstPing, respond } = await openWatch();
  const ping = await firstPing();
  clock.wall += TRUST_MS;
  await respond(ping);
  expect(watch.trusted()).toBe(false);
});

it('ends trust when the wall clock is set back, and treats the next response as before', async () => {
  const { watch, clock, firstPing, respond, respondToAll } = await openWatch();
  await respond(await firstPing());
  clock.wall -= 3_600_000;
  clock.monotonic += TRUST_MS - 1;
  expect(watch.trusted()).toBe(true);
  clock.monotonic += 1;
  expect(watch.trusted()).toBe(false);
  await respondToAll();
  clock.wall += TRUST_MS;
  expect(watch.trusted()).toBe(false);
});

it('keeps the longer of two granted times, as auth waits for it', async () => {
  const { watch, clock, firstPing, nextPing, respond } = await openWatch();
  await respond(await firstPing(), TRUST_MS * 2);
  clock.monotonic += 10;
  await respond(await nextPing(), TRUST_MS);
  clock.monotonic += TRUST_MS * 2 - 11;
  expect(watch.trusted()).toBe(true);
  clock.monotonic += 1;
  expect(watch.trusted()).toBe(false);
});

it('records the end of its trust even if the timer fires before the clock has reached it', async () => {
  const { watch, clock, firstPing, respond } = await openWatch();
  const trustMs = 100;
  await respond(await firstPing(), trustMs);
  // The clock stands still, so each timer fires too early.
  noted.length = 0;
  await vi.waitFor(() => expect(noted).toContain(true), WAIT);
  expect(watch.trusted()).toBe(true);
  expect(noted).not.toContain(false);
  clock.monotonic += trustMs;
  await vi.waitFor(() => expect(noted.at(-1)).toBe(false), WAIT);
});
