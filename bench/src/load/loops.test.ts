import { createServer } from 'node:http';
import { startSimulator } from '@tollgate/simulator/testing/start-simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connections } from './connection.ts';
import { HeldStreams } from './held-streams.ts';
import { closedLoop, openLoop } from './loops.ts';
import type { RequestSpec, Route } from './messages.ts';

const BUFFERED: RequestSpec = {
  client: 'openai-chat',
  model: 'simulated-small',
  promptBytes: 200,
  streamed: false,
  outputTokens: 3,
  tokenDelayMs: 0,
  status: 200,
};
const STREAM: RequestSpec = { ...BUFFERED, streamed: true };
/** The opening event, one per token, the finish, the usage and [DONE]. */
const EVENTS_OF_STREAM = 3 + 4;

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let route: Route;
const connections = new Connections();

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, apiKey: undefined, onError: () => undefined });
  route = { origin: simulator.url, keys: ['one', 'two'] };
});
afterAll(async () => {
  await connections.close();
  await simulator.stop(100);
});

describe('the closed loop', () => {
  it('counts responses, as many as the upstream saw requests', async () => {
    const before = simulator.recorder.stats.finished;
    const result = await closedLoop(connections, {
      kind: 'closed',
      route,
      spec: STREAM,
      concurrency: 3,
      durationMs: 50,
    });
    expect(result.failures).toBe(0);
    expect(result.requests).toBeGreaterThanOrEqual(3);
    expect(result.requests).toBe(simulator.recorder.stats.finished - before);
    expect(result.events).toBe(result.requests * EVENTS_OF_STREAM);
    expect(result.elapsedMs).toBeGreaterThanOrEqual(50);
  });

  it('stops after a number of requests, each with the next key', async () => {
    const keys = ['one', 'two', 'three', 'four', 'five'];
    const run = {
      kind: 'closed',
      route: { ...route, keys },
      spec: BUFFERED,
      concurrency: 2,
      durationMs: 60_000,
    } as const;
    const result = await closedLoop(connections, { ...run, requests: keys.length });
    expect(result).toMatchObject({ requests: keys.length, failures: 0 });
    const used = simulator.recorder.list().slice(-keys.length);
    expect(new Set(used.map(({ headers }) => headers['authorization'])).size).toBe(keys.length);
    expect(await closedLoop(connections, { ...run, requests: 1 })).toMatchObject({ requests: 1, failures: 0 });
  });

  it.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const)(
    'accepts complete responses of %s, buffered and streamed',
    async (client) => {
      for (const streamed of [false, true]) {
        const spec: RequestSpec = { ...BUFFERED, client, streamed, outputTokens: 20 };
        const run = { kind: 'closed', route, spec, concurrency: 1, durationMs: 60_000, requests: 2 } as const;
        const result = await closedLoop(connections, run);
        expect(result).toMatchObject({ requests: 2, failures: 0 });
        expect(result.events >= 2 * 20).toBe(streamed);
      }
    },
  );

  it('expects the status of the request', async () => {
    const run = { kind: 'closed', route, spec: { ...BUFFERED, status: 401 }, concurrency: 1, durationMs: 1 } as const;
    expect(await closedLoop(connections, { ...run, requests: 1 })).toMatchObject({ requests: 0, failures: 1 });
  });

  it('reports failures, and ends', async () => {
    const nowhere = { origin: 'http://127.0.0.1:1', keys: ['one'] };
    const run = { kind: 'closed', route: nowhere, spec: BUFFERED, concurrency: 2, durationMs: 1 } as const;
    const result = await closedLoop(connections, run);
    expect(result.requests).toBe(0);
    expect(result.failures).toBeGreaterThanOrEqual(2);
    expect(result.firstFailure).toMatch(/ECONNREFUSED/);
  });

  it.each([
    ['a stream that ends early', 200, 'data: one\n\n'.repeat(EVENTS_OF_STREAM)],
    ['an error', 500, 'data: one\n\n'.repeat(EVENTS_OF_STREAM)],
    ['an empty answer', 200, ''],
  ])('takes %s for a failure', async (_, status, body) => {
    const server = createServer((_req, res) => res.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const wrong = { origin: `http://127.0.0.1:${port}`, keys: ['one'] };
    const run = { kind: 'closed', route: wrong, spec: STREAM, concurrency: 1, durationMs: 0 } as const;
    expect(await closedLoop(connections, run)).toMatchObject({ requests: 0, failures: 1 });
    server.closeAllConnections();
    server.close();
  });
});

describe('the open loop', () => {
  it('starts requests at the given rate and measures each first byte', async () => {
    const run = { kind: 'open', route, spec: BUFFERED, ratePerSecond: 200, durationMs: 300, seed: 3 } as const;
    const result = await openLoop(connections, run);
    expect(result.failures).toBe(0);
    expect(result.firstByte.count).toBe(result.requests);
    expect(result.latency.count).toBe(result.requests);
    expect(result.latency.max).toBeGreaterThanOrEqual(result.firstByte.max);
    expect(result.firstByte.p50).toBeGreaterThan(0);
    expect(result.requests).toBeGreaterThan(30);
    expect(result.requests).toBeLessThan(100);
  });

  it('ends at once if no request starts within its duration', async () => {
    const run = { kind: 'open', route, spec: BUFFERED, ratePerSecond: 0.001, durationMs: 1, seed: 1 } as const;
    expect(await openLoop(connections, run)).toMatchObject({ requests: 0, failures: 0 });
  });
});

describe('held streams', () => {
  it('are open when hold returns, are counted, and are aborted at the end', async () => {
    const streams = new HeldStreams();
    const spec: RequestSpec = { ...STREAM, outputTokens: 1_000, tokenDelayMs: 20 };
    const held = await streams.hold({ kind: 'hold', route, spec, streams: 60 });
    expect(simulator.recorder.stats.open_streams).toBe(60);
    expect(held.events).toBeGreaterThanOrEqual(60);
    const watched = await streams.watch({ kind: 'watch', durationMs: 100 });
    expect(watched).toMatchObject({ requests: 0, failures: 0 });
    expect(watched.events).toBeGreaterThan(0);
    await streams.leave();
    await expect.poll(() => simulator.recorder.stats.open_streams).toBe(0);
    expect(simulator.recorder.stats.aborted).toBe(60);
  });

  it('report rejected requests', async () => {
    const streams = new HeldStreams();
    const nowhere = { origin: 'http://127.0.0.1:1', keys: ['one'] };
    expect(await streams.hold({ kind: 'hold', route: nowhere, spec: STREAM, streams: 3 })).toMatchObject({
      failures: 3,
    });
    await streams.leave();
  });
});
