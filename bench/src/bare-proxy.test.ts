import { startSimulator } from '@tollgate/simulator/testing/start-simulator';
import { expect, it } from 'vitest';
import { bodyOf } from './load/request.ts';
import { startListeningPart } from './parts/fork.ts';

const SPEC = {
  client: 'openai-chat',
  model: 'simulated-small',
  promptBytes: 200,
  outputTokens: 5,
  tokenDelayMs: 0,
  status: 200,
} as const;

it('forwards requests and responses unchanged', async () => {
  const simulator = await startSimulator({ host: '127.0.0.1', port: 0, apiKey: undefined, onError: () => undefined });
  const proxy = await startListeningPart('bare-proxy.ts', { UPSTREAM: simulator.url });
  try {
    for (const streamed of [false, true]) {
      const call = async (origin: string) => {
        const response = await fetch(`${origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
          body: new Uint8Array(bodyOf({ ...SPEC, streamed })),
        });
        return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
      };
      expect(await call(proxy.origin)).toEqual(await call(simulator.url));
    }
    expect(simulator.recorder.stats.finished).toBe(4);
  } finally {
    await proxy.stop();
    await simulator.stop(100);
  }
});

it('disconnects from the upstream when its client does', async () => {
  const simulator = await startSimulator({ host: '127.0.0.1', port: 0, apiKey: undefined, onError: () => undefined });
  const proxy = await startListeningPart('bare-proxy.ts', { UPSTREAM: simulator.url });
  try {
    const leaving = new AbortController();
    const response = await fetch(`${proxy.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
      body: new Uint8Array(bodyOf({ ...SPEC, streamed: true, outputTokens: 10_000, tokenDelayMs: 20 })),
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    leaving.abort();
    await expect.poll(() => simulator.recorder.stats.aborted).toBe(1);
  } finally {
    await proxy.stop();
    await simulator.stop(100);
  }
});
