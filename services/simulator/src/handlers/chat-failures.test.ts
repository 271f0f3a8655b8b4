import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

function ask(
  simulate: object,
  init: { stream?: boolean; signal?: AbortSignal; headers?: Record<string, string> } = {},
) {
  const body = JSON.stringify({
    model: 'simulated-small',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: init.stream ?? false,
    simulate,
  });
  return fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...init.headers },
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  });
}

/** What arrived of a stream, and whether it was aborted. */
async function readEvents(response: Response): Promise<{ events: string[]; broken: boolean }> {
  let text = '';
  let broken = false;
  const decoder = new TextDecoder();
  try {
    for await (const part of response.body ?? []) text += decoder.decode(part, { stream: true });
  } catch {
    broken = true;
  }
  return { events: text.split('\n\n').filter((event) => event !== ''), broken };
}

describe('failures instead of a response', () => {
  it.each([400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 503, 504, 529])('status %i', async (status) => {
    const response = await ask({ fail: status });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } });
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
  });

  it('502 is a page', async () => {
    const response = await ask({ fail: 502 });
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(await response.text()).toContain('<html>');
  });

  it('an empty account is a 429 that says so', async () => {
    const response = await ask({ fail: 'insufficient_quota', retry_after_s: 9 });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('9');
    expect(await response.json()).toMatchObject({ error: { code: 'insufficient_quota', type: 'insufficient_quota' } });
  });

  it('a reset', async () => {
    await expect(ask({ fail: 'reset' })).rejects.toThrow();
  });

  it.each(['garbage', 'truncated', 'empty'])('a body that is no JSON: %s', async (fail) => {
    const response = await ask({ fail });
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow();
  });

  it('a wrong content type', async () => {
    expect((await ask({ fail: 'wrong_content_type' })).headers.get('content-type')).toContain('text/html');
  });

  it('only the first calls of a key', async () => {
    const simulate = { fail: 503, fail_first: { count: 2, key: 'one' } };
    const statuses: number[] = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await ask(simulate)).status);
    expect(statuses).toEqual([503, 503, 200, 200]);
    expect((await ask({ fail_first: { count: 1, key: 'other' } })).status).toBe(500);
  });
});

describe('failures within a stream', () => {
  it('a reset after the given events', async () => {
    const { events, broken } = await readEvents(await ask({ reset_after_events: 3 }, { stream: true }));
    expect(events).toHaveLength(3);
    expect(broken).toBe(true);
  });

  it('an end without [DONE]', async () => {
    const cut = await readEvents(await ask({ end_after_events: 3 }, { stream: true }));
    expect(cut.events).toHaveLength(3);
    const { events, broken } = await readEvents(await ask({ no_done: true }, { stream: true }));
    expect(events.at(-1)).toContain('"finish_reason":"stop"');
    expect(broken).toBe(false);
  });

  it('an event of invalid JSON among valid ones', async () => {
    const { events } = await readEvents(await ask({ garbage_after_events: 2 }, { stream: true }));
    expect(() => JSON.parse(events[2]?.slice(6) ?? '')).toThrow(SyntaxError);
    expect(events.at(-1)).toBe('data: [DONE]');
  });

  it('an error event as the last one', async () => {
    const { events } = await readEvents(await ask({ error_after_events: 2 }, { stream: true }));
    expect(events).toHaveLength(3);
    expect(JSON.parse(events[2]?.slice(6) ?? '')).toMatchObject({ error: { type: 'server_error' } });
  });

  it('silence until the caller disconnects, which is recorded', async () => {
    const aborted = simulator.recorder.stats.aborted;
    const controller = new AbortController();
    const response = await ask({ stall_after_events: 2 }, { stream: true, signal: controller.signal });
    expect(simulator.recorder.stats.open_streams).toBe(1);
    controller.abort();
    await expect(response.text()).rejects.toThrow();
    await vi.waitFor(() => expect(simulator.recorder.stats.aborted).toBe(aborted + 1), { timeout: 30_000 });
    await vi.waitFor(() => expect(simulator.recorder.stats.open_streams).toBe(0), { timeout: 30_000 });
  });
});

describe('what was received', () => {
  it('is shown by trace, with the key as a digest only', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, authorization: 'Bearer sim-secret-key' };
    await (await ask({}, { headers })).text();
    const dashed = '0af76519-16cd-43dd-8448-eb211c80319c';
    const response = await fetch(`${simulator.url}/_simulator/requests?trace_id=${dashed}`);
    const text = await response.text();
    expect(text).not.toContain('sim-secret-key');
    expect(JSON.parse(text)).toMatchObject({
      requests: [
        {
          method: 'POST',
          path: '/v1/chat/completions',
          headers: { authorization: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
          trace_id: traceId,
          status: 200,
          state: 'finished',
          body: expect.stringContaining('Hello'),
        },
      ],
    });
  });
});

describe('a simulator with a key', () => {
  it('demands it', async () => {
    const guarded = await startSimulator({ host: '127.0.0.1', port: 0, apiKey: 'right', onError: () => undefined });
    const list = (key: string) => fetch(`${guarded.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect((await list('wrong')).status).toBe(401);
    expect((await list('right')).status).toBe(200);
    expect((await fetch(`${guarded.url}/health`)).status).toBe(200);
    await guarded.stop(100);
  });
});
